/** The plotter, the links of tracebacks, several boards, and the page without a network. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./bench.js";
import { Files } from "./files.js";

describe("the bench", () => {
  let browser, bench;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (bench = await browser.page()));
  afterEach(() => bench.close());

  test("numbers that are printed are drawn while they come, by their names", async () => {
    await bench.connect();
    await bench.button("Plot").click();
    await bench.page.locator("#plot .hint").waitFor();
    await bench.run("import math\nprint('no numbers here')\nfor n in range(300):\n    print('sine:', math.sin(n / 20), 'n:', n / 300)");
    await bench.waitForText("finished after");
    await bench.waitForState("ready");
    await bench.page.locator("#plot canvas").waitFor();
    assert.deepEqual(await bench.page.locator("#plot .legend label").allInnerTexts(), ["sine", "n"]);
    await bench.shot("plot");
    await bench.run("print(1, 2, 3)");
    await bench.page.locator("#plot .legend label", { hasText: "value 3" }).waitFor();
  });

  test("a line of a traceback opens the file that it names", async () => {
    await bench.connect();
    const files = await Files.open(bench);
    await files.drop({ "broken.py": "def fail():\n    return 1 / 0\n" });
    await files.waitForRow("/broken.py");
    await bench.run("import broken\nbroken.fail()");
    await bench.page.locator("#problem").getByRole("button", { name: "broken.py, line 2 in fail" }).click();
    await bench.page.locator("#tabs [aria-current]", { hasText: "broken.py" }).waitFor();
    await bench.page.locator("#editor .cm-activeLine", { hasText: "return 1 / 0" }).waitFor();
  });

  test("two boards are on the bench at once, each with its terminal and its program", async () => {
    await bench.connect();
    await bench.run("print('I am the first')\nwhile True:\n    pass");
    await bench.waitForText("I am the first");
    await bench.button("Add a board").click();
    await bench.waitForState("loose");
    await bench.connect();
    assert.equal(await bench.page.locator("#boards .chip").count(), 2);
    await bench.run("print('I am the second')");
    await bench.waitForText("I am the second");
    await bench.waitForState("ready");
    await bench.shot("two-boards");
    await bench.page.locator("#boards .chip").first().click();
    await bench.waitForState("running");
    await bench.waitForText("I am the first");
    await bench.button("Stop").click();
    await bench.waitForState("ready");
    await bench.button("Disconnect").click();
    await bench.waitForText("I am the second");
    assert.ok(await bench.page.locator("#boards").isHidden(), "one board needs no list");
  });

  test("after the first visit the page works without a network, its board too", async () => {
    await bench.page.evaluate(() => navigator.serviceWorker.ready);
    await bench.page.context().setOffline(true);
    await bench.open();
    await bench.connect();
    await bench.run("print('far', 'from', 'home')");
    await bench.waitForText("far from home");
    await bench.page.locator("#tool-zylisp").click();
    await bench.page.getByLabel("Code to evaluate").waitFor();
    assert.ok(await bench.page.evaluate(() => crossOriginIsolated));
  });
});
