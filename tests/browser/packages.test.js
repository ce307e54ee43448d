/** Packages from the page: found in an index, installed with what they depend on, by name, address and link. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance } from "./axe.js";
import { startIndex } from "./index.js";

describe("packages", () => {
  let index, browser, app;
  before(async () => {
    index = await startIndex();
    browser = await startBrowser({ index: index.url });
  });
  after(async () => {
    await browser?.close();
    await index?.close();
  });

  test("are found by a word, and installed with what they need; what is there already is not written again", async () => {
    app = await browser.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await app.connect();
    await open();
    await dialog().getByText("3 packages: write what you look for.").waitFor();
    await wanted("loud");
    await dialog().locator("li", { hasText: "Says it loud." }).waitFor();
    await glance(app, "packages");
    await install("shouting");
    await status(/shouting is installed in .*: 2 files written\./);
    await install("shouting");
    await status(/shouting is there already: 2 files unchanged\./);
    await close();
    assert.match(await app.exec("import shouting\nprint(shouting.shout('works'))"), /WORKS!/);
  });

  test("are installed from an address, and a link offers that to others, who are asked", async () => {
    await open();
    await wanted(`${index.url}/own/`);
    await dialog().getByRole("button", { name: /^Copy a link/ }).click();
    await status(/The link is copied/);
    const link = await app.page.evaluate(() => navigator.clipboard.readText());
    await close();
    await app.close();

    app = await browser.page();
    await app.page.goto(link);
    await app.page.locator("#toast", { hasText: "connect a board" }).waitFor();
    await app.page.reload();
    assert.ok(!app.page.url().includes("#"), "a reload does not ask again");
    await app.page.goto(link);
    await app.button("Start the board").click();
    await app.page.getByRole("dialog", { name: `A link asks to install ${index.url}/own/` }).waitFor();
    await app.waitForState("ready");
    assert.ok(!index.asked.includes("/own/package.json"), "nothing is fetched before the person says so");
    await install(`${index.url}/own/`);
    await status(/is installed in .*: 2 files written\./);
    await close();
    assert.match(await app.exec("import own"), /MY OWN/);
  });

  test("that are not what they were made with, lead elsewhere or are nowhere change nothing on the board", async () => {
    const before = await app.exec("import os\nprint(os.listdir())");
    await open();
    for (const [name, why] of [
      ["broken", /The file broken\.py is not the one that its package was made with/],
      ["nosuchpackage", /The index has no package nosuchpackage/],
      [`${index.url}/curious`, /The package leads to 127\.0\.0\.2:9, which is not where you asked for it/],
      [`${index.url}/none`, /There is no package at/],
    ]) {
      await wanted(name);
      await install(name);
      await dialog().locator(".fault", { hasText: why }).waitFor();
    }
    app.forgive(/ERR_INTERNET_DISCONNECTED/);
    await app.page.context().setOffline(true);
    await wanted(`${index.url}/own/`);
    await install(`${index.url}/own/`);
    await dialog().locator(".fault", { hasText: /There is no network: .* cannot be fetched/ }).waitFor();
    await app.page.context().setOffline(false);
    await close();
    assert.equal(await app.exec("import os\nprint(os.listdir())"), before);
    await app.close();
  });

  test("are fetched for nobody but the page", async () => {
    const ask = (headers, body) => fetch(new URL("packages/file", browser.url), { method: "POST", headers, body: JSON.stringify(body) });
    const own = { origin: new URL(browser.url).origin };
    assert.equal((await ask(own, { index: "index.json" })).status, 200);
    assert.equal((await ask({}, { index: "index.json" })).status, 403, "no page");
    assert.equal((await ask({ origin: "https://evil.example" }, { index: "index.json" })).status, 403, "another site");
    assert.equal((await ask(own, { index: "../own/package.json" })).status, 403, "out of the index");
    assert.equal((await ask(own, { address: { url: "http://127.0.0.2:9/", typed: index.url } })).status, 403, "another host");
    assert.equal((await ask(own, { address: { url: `${index.url}/none`, typed: index.url } })).status, 204, "there is none");
  });

  async function open() {
    await app.button("Packages").click();
    await dialog().waitFor();
    await app.waitForState("ready");
  }

  function dialog() {
    return app.page.getByRole("dialog");
  }

  async function wanted(text) {
    await dialog().getByLabel("Name, words or address").fill(text);
  }

  async function install(name) {
    await dialog().getByRole("button", { name: `Install ${name}`, exact: true }).click();
  }

  async function status(text) {
    await dialog().locator(".status", { hasText: text }).waitFor();
    await app.waitForState("ready");
  }

  async function close() {
    await dialog().getByRole("button", { name: "Close" }).click();
    await dialog().waitFor({ state: "detached" });
  }
});
