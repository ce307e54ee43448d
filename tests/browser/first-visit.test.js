/** A first visit: what it is for is said, and what few people need waits behind a button. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { view } from "./axe.js";

describe("a first visit", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("shows one sentence, three ways to a board, two menus, a name for the program, and no Stop", async () => {
    const app = await browser.page({ fewTools: true });
    await app.page.locator(".welcome", { hasText: "Write a program in Python" }).waitFor();
    assert.deepEqual(await app.page.locator("#connect h3:visible").allTextContents(), ["Try it now", "On USB", "On the network"]);
    assert.ok(await app.page.locator("#tabs [aria-current]", { hasText: "Program" }).isVisible());
    assert.ok(await app.page.locator("#stop").isHidden());
    await app.page.getByLabel("Open an example").selectOption("Hello");
    await app.page.locator("#tabs [aria-current]", { hasText: "hello.py" }).waitFor();
    await view(app, "first-visit");
    await app.connect();
    assert.ok(await app.page.locator("#stop").isVisible());
    await app.close();
  });

  test("has the agent and Zylisp behind a button, and remembers who has opened one", async () => {
    const app = await browser.page({ fewTools: true });
    const isSeen = (name) => app.page.locator(`#tool-${name}`).isVisible();
    assert.deepEqual([await isSeen("agent"), await isSeen("zylisp")], [false, false]);
    await app.button("More tools").click();
    assert.deepEqual([await isSeen("agent"), await isSeen("zylisp")], [true, true]);
    await app.open();
    assert.equal(await isSeen("agent"), false, "nobody has opened one");
    await app.page.evaluate(() => (location.hash = "#zylisp"));
    await app.page.locator("#zylisp:not([hidden])").waitFor();
    await app.button("Program").first().click();
    await app.open();
    assert.equal(await isSeen("agent"), true);
    await app.close();
  });
});
