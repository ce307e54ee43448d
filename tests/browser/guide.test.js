/** The guide: read in the page without a network, with its pictures, and reached from each error that it has a cure for. */

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance } from "./axe.js";

const GUIDE = new URL("../../docs/guide/", import.meta.url);

describe("the guide", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("has all pages, with their links and pictures, also without a network", async () => {
    app = await browser.page({ keeper: true });
    await app.page.evaluate(() => navigator.serviceWorker.ready);
    await app.page.context().setOffline(true);
    await app.button("Read the guide").click();
    const files = (await readdir(GUIDE)).filter((name) => name.endsWith(".md"));
    // The guide is loaded when it is first read: its pages come a moment after the click.
    await pages().first().waitFor();
    assert.equal(await pages().count(), files.length);
    for (const file of files) {
      const [heading] = (await readFile(new URL(file, GUIDE), "utf8")).split("\n");
      await pages().getByText(heading.slice(2), { exact: true }).click();
      await article().getByRole("heading", { name: heading.slice(2) }).waitFor();
    }
    await pages().getByText("Your first board", { exact: true }).click();
    const picture = article().locator("img");
    await picture.scrollIntoViewIfNeeded();
    await app.page.waitForFunction(() => document.querySelector("dialog img").naturalWidth > 0);
    await article().getByRole("link", { name: "Troubleshooting" }).click();
    await article().getByRole("heading", { name: "Troubleshooting", exact: true }).waitFor();
    await app.page.context().setOffline(false);
    await glance(app, "guide");
    await app.page.keyboard.press("Escape");
  });

  test("is opened by the errors that have a cure, at that cure", async () => {
    await app.connect();
    await app.run("import nosuchmodule");
    await app.page.locator("#problem").getByRole("button", { name: "What to do" }).click();
    await shows("No module named");
    await app.page.keyboard.press("Escape");
    await app.waitForState("ready");
    await app.run("open('/nosuchfile')");
    await app.page.locator("#problem", { hasText: "OSError" }).getByRole("button", { name: "What to do" }).click();
    await shows("No such file");
    await app.page.keyboard.press("Escape");
    await app.close();
  });

  test("has a heading for each cure that errors lead to", async () => {
    const troubleshooting = await readFile(new URL("troubleshooting.md", GUIDE), "utf8");
    const names = [...troubleshooting.matchAll(/^## (.*)$/gm)].map(([, text]) => text.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-"));
    const cures = await readFile(new URL("../../web/src/guide/cures.ts", import.meta.url), "utf8");
    const led = [...cures.matchAll(/, "([a-z-]+)"\],$/gm)].map(([, name]) => name);
    assert.ok(led.length >= 9);
    assert.deepEqual(led.filter((name) => !names.includes(name)), []);
  });

  function pages() {
    return app.page.getByRole("navigation", { name: "Pages of the guide" }).getByRole("button");
  }

  function article() {
    return app.page.getByRole("region", { name: "Guide" });
  }

  /** Waits until this heading is in view. */
  async function shows(name) {
    const heading = article().getByRole("heading", { name });
    await heading.waitFor();
    await app.page.waitForFunction((heading) => {
      const [box, room] = [heading.getBoundingClientRect(), heading.closest("article").getBoundingClientRect()];
      return box.top >= room.top - 2 && box.bottom <= room.bottom;
    }, await heading.elementHandle());
  }
});
