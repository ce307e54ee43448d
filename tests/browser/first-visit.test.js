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
    await app.close();
  });

  test("shows Stop while something runs: a program of the page, and one that was typed at the prompt", async () => {
    const app = await browser.page();
    const stop = app.page.locator("#stop");
    await app.connect();
    await app.waitForLastRow(">>>");
    await stop.waitFor({ state: "hidden" });
    await app.run("import time\nprint('going')\ntime.sleep(600)");
    // The module is needed at the prompt afterwards.
    await app.waitForText("going");
    await stop.click();
    await app.waitForState("ready");
    await stop.waitFor({ state: "hidden" });
    await app.page.locator("#terminal .xterm-screen").first().click();
    await app.page.keyboard.type("time.sleep(600)");
    await app.waitForLastRow(">>> time.sleep(600)");
    await app.page.waitForTimeout(600);
    assert.ok(await stop.isHidden(), "a line that is half typed runs nothing");
    await app.page.keyboard.press("Enter");
    await stop.click();
    await app.waitForText("KeyboardInterrupt");
    await stop.waitFor({ state: "hidden" });
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
