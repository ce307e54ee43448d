/** The browser's copy of the page: nothing that somebody else has written there, and one version for each tab. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, startBrowser } from "./app.js";
import { startHost } from "./hosted.js";

describe("the page that the browser keeps", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("is not served when something else lies in its place, and is what it was again", async () => {
    const host = await startHost();
    const app = await visit(browser, host.url);
    await waitForKeeper(app);
    const written = await app.page.evaluate(async () => {
      let count = 0;
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const kind = request.url.endsWith(".css") ? "text/css" : request.url.endsWith("/") ? "text/html" : "text/javascript";
          await cache.put(request, new Response("document.title = 'taken over'", { headers: { "Content-Type": kind } }));
          count++;
        }
      }
      return count;
    });
    assert.ok(written > 50, `${written} files`);
    await app.open();
    await app.connect();
    assert.notEqual(await app.page.title(), "taken over");
    assert.equal(await app.exec("print('it', 'works')"), "it works");
    const begin = () => app.page.evaluate(async () => (await fetch(document.querySelector("script[type=module]").src)).text());
    assert.doesNotMatch(await begin(), /taken over/);
    // What was not asked for since is still the other one's, and not served without a network either.
    await host.stop();
    app.forgive(/Failed to load|ERR_|fetch/);
    const answers = await app.page.evaluate(async () => {
      const texts = [];
      for (const name of await caches.keys()) {
        for (const { url } of await (await caches.open(name)).keys()) texts.push(await fetch(url).then((response) => response.text(), () => "nothing"));
      }
      return texts;
    });
    assert.deepEqual(answers.filter((text) => text.includes("taken over")), []);
    await app.close();
  });

  test("is offered in its newer version, and goes on in the older one until that is taken", async () => {
    const host = await startHost();
    const app = await visit(browser, host.url);
    await waitForKeeper(app);
    const begin = () => app.page.evaluate(() => document.querySelector("script[type=module]").src);
    await host.update();
    await app.page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await app.button("Reload to update").waitFor();
    await app.shot("update");
    host.lose(/dialog/);
    assert.doesNotMatch(await begin(), /-newer/);
    await app.page.locator("#settings").click();
    await app.page.getByRole("dialog").waitFor();
    await app.page.keyboard.press("Escape");
    await app.write("kept = 'over the update'\n");
    await app.button("Reload to update").click();
    await app.page.waitForFunction(() => document.querySelector("script[type=module]")?.src.includes("-newer"));
    await app.page.locator("#editor .cm-line", { hasText: "over the update" }).waitFor();
    await app.close();
    await host.stop();
  });

  test("offers to be loaded again when a part of it is gone", async () => {
    const app = await browser.page();
    app.forgive(/Failed to load resource|dynamically imported module/);
    await app.page.route(/\/assets\/(settings-dialog|guide|shortcuts)-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    for (const button of ["settings", "shortcuts"]) {
      await app.page.locator(`#${button}`).click();
      await app.page.getByText("A part of this page could not be loaded").waitFor();
      await app.page.locator(".update").getByRole("button", { name: "Dismiss" }).click();
    }
    await app.close();
  });
});

describe("the page on a server that only keeps files", () => {
  for (const firefox of [false, true]) {
    test(`works in a folder and without headers${firefox ? ", in Firefox" : ""}: the board, Stop, and all of it without a network`, async (t) => {
      const browser = await startBrowser({ firefox });
      t.after(() => browser.close());
      const host = await startHost("/some/where/else/");
      t.after(() => host.stop());
      const app = await visit(browser, host.url);
      await waitForKeeper(app);
      const stopIt = async (word) => {
        await app.run(`import time\nprint('${word}')\ntry:\n    time.sleep(60)\nfinally:\n    print('let', 'go')`);
        await app.waitForText(word);
        await app.button("Stop").click();
        await app.waitForText("let go");
        await app.waitForState("ready");
      };
      await app.connect();
      assert.equal(await app.page.locator("iframe[sandbox=allow-scripts]").count(), 1, "the board is in a frame");
      await stopIt("asleep");
      await host.stop();
      app.forgive(/Failed to load resource|ERR_|NetworkError|NS_ERROR/);
      await app.open();
      await app.connect();
      await stopIt("offline");
      await app.close();
    });
  }
});

/** The page at another address than the browser's own server. */
async function visit(browser, url) {
  const { page } = await browser.page({ blank: true, keeper: true });
  const app = new App(page, url);
  await app.open();
  return app;
}

/** Waits until the browser keeps the whole page and serves it, which it does with the headers that its server lacks. */
async function waitForKeeper({ page }) {
  await page.waitForFunction(() => crossOriginIsolated && navigator.serviceWorker.controller?.state === "activated");
  await page.locator("#editor .cm-content").waitFor({ state: "attached" });
}
