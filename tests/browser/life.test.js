/** The panels from their making to their end. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";

describe("a panel", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("that cannot be loaded says so, and is tried again when it is chosen again", async () => {
    const app = await browser.page();
    await app.page.route(/\/panel-[^/]*\.js$/, (route) => route.abort());
    await app.button("Experiments").click();
    await app.page.locator(".update", { hasText: "A part of this page could not be loaded" }).waitFor();
    await app.page.unroute(/\/panel-[^/]*\.js$/);
    await app.button("Experiments").click();
    await app.page.getByLabel("Run", { exact: true }).waitFor();
    app.forgive(/Failed to load resource/);
    await app.close();
  });

  test("ends all that it has begun with the page: timers, searches, evaluations", async () => {
    const app = await browser.page({ before: (context) => context.addInitScript(countTimers) });
    const { page } = app;
    const timers = () => page.evaluate(() => globalThis.timers.size);
    await app.connect();
    const before = await timers();
    await Files.open(app);
    await page.locator("#examples").selectOption("A logger for Experiments");
    await page.locator("#editor .cm-line", { hasText: "A device for" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await app.waitForText("OK: sd_logger is ready");
    await page.locator("#tool-agent").click();
    await page.getByLabel("Task").waitFor();
    await page.locator("#tool-zylisp").click();
    await page.getByLabel("Code to evaluate").fill("(define forever (lambda () (forever))) (forever)");
    await page.keyboard.press("Enter");
    await page.locator("#zylisp [data-do=stop][aria-disabled=false]").waitFor();
    await page.locator("#tool-experiments").click();
    await app.button("Start").click();
    await page.locator(".recording:not([hidden])").waitFor();
    assert.ok((await timers()) > before, "the recording has a clock");
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false })));
    for (const panel of ["files", "experiments", "agent", "zylisp"]) await page.locator(`#${panel}:empty`).waitFor({ state: "attached" });
    await page.waitForFunction((before) => globalThis.timers.size === before, before);
    await app.close();
  });
});

/** Keeps which repeated timers of the page are going. */
function countTimers() {
  globalThis.timers = new Set();
  const [set, clear] = [globalThis.setInterval, globalThis.clearInterval];
  globalThis.setInterval = (...args) => {
    const timer = set(...args);
    globalThis.timers.add(timer);
    return timer;
  };
  globalThis.clearInterval = (timer) => {
    globalThis.timers.delete(timer);
    clear(timer);
  };
}
