/** The page in the Firefox that people have. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";

describe("the page in Firefox", () => {
  let browser;
  before(async () => (browser = await startBrowser({ firefox: true })));
  after(() => browser?.close());

  test("connects to the board in the page, runs a program, shows its output, marks a mistake and stops a loop", async () => {
    const app = await browser.page();
    assert.ok(await app.page.evaluate(() => crossOriginIsolated && /Firefox/.test(navigator.userAgent)));
    await app.connect();
    await app.run("for n in range(3):\n    print('number', n * n)");
    await app.waitForText("finished after");
    assert.deepEqual((await app.screen()).filter((row) => row.startsWith("number")), ["number 0", "number 1", "number 4"]);
    await app.waitForState("ready");
    await app.run("def half(n):\n    return n / 0\n\nhalf(3)");
    await app.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    assert.equal(await app.page.locator(".failed-line").innerText(), "    return n / 0");
    await app.waitForState("ready");
    await app.run("n = 0\nwhile True:\n    print('turn', n)\n    n += 1");
    await app.waitForText("turn");
    await app.button("Stop").click();
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.shot("firefox");
    await app.close();
  });

  test("where it has no Web Serial, says which browsers have it and what else there is", async () => {
    const app = await browser.page({ without: "serial" });
    assert.ok(await app.button("Choose a port").isHidden());
    await app.page.getByText("Firefox from version 151 on can: open this page there, or reach the board over the network.").waitFor();
    await app.shot("firefox-no-serial");
    await app.close();
  });
});
