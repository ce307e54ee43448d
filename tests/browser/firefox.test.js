/** The page in the Firefox that people have. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./bench.js";

describe("the page in Firefox", () => {
  let browser;
  before(async () => (browser = await startBrowser({ firefox: true })));
  after(() => browser?.close());

  test("connects to the board in the page, runs a program, shows its output, marks a mistake and stops a loop", async () => {
    const bench = await browser.page();
    assert.ok(await bench.page.evaluate(() => crossOriginIsolated && /Firefox/.test(navigator.userAgent)));
    await bench.connect();
    await bench.run("for n in range(3):\n    print('number', n * n)");
    await bench.waitForText("finished after");
    assert.deepEqual((await bench.screen()).filter((row) => row.startsWith("number")), ["number 0", "number 1", "number 4"]);
    await bench.waitForState("ready");
    await bench.run("def half(n):\n    return n / 0\n\nhalf(3)");
    await bench.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    assert.equal(await bench.page.locator(".failed-line").innerText(), "    return n / 0");
    await bench.waitForState("ready");
    await bench.run("n = 0\nwhile True:\n    print('turn', n)\n    n += 1");
    await bench.waitForText("turn");
    await bench.button("Stop").click();
    await bench.waitForText("stopped");
    await bench.waitForState("ready");
    await bench.shot("firefox");
    await bench.close();
  });

  test("where it has no Web Serial, says which browsers have it and what else there is", async () => {
    const bench = await browser.page({ without: "serial" });
    assert.ok(await bench.button("Choose a port").isHidden());
    await bench.page.getByText("Firefox from version 151 on can: open this page there, or reach the board over the network.").waitFor();
    await bench.shot("firefox-no-serial");
    await bench.close();
  });
});
