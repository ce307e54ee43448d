/** The plotter, the links of tracebacks, several boards, and the page without a network. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";

describe("boards side by side", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page({ keeper: true })));
  afterEach(() => app.close());

  test("numbers that are printed are drawn while they come, by their names", async () => {
    await app.connect();
    await app.button("Plot").click();
    await app.page.locator("#plot .hint").waitFor();
    await app.run("import math\nprint('no numbers here')\nfor n in range(300):\n    print('sine:', math.sin(n / 20), 'n:', n / 300)");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    await app.page.locator("#plot canvas").waitFor();
    assert.deepEqual(await app.page.locator("#plot .legend label").allInnerTexts(), ["sine", "n"]);
    await app.shot("plot");
    await app.run("print(1, 2, 3)");
    await app.page.locator("#plot .legend label", { hasText: "value 3" }).waitFor();
  });

  test("a line of a traceback opens the file that it names", async () => {
    await app.connect();
    const files = await Files.open(app);
    await files.drop({ "broken.py": "def fail():\n    return 1 / 0\n" });
    await files.waitForRow("/broken.py");
    await app.run("import broken\nbroken.fail()");
    await app.page.locator("#problem").getByRole("button", { name: "broken.py, line 2 in fail" }).click();
    await app.page.locator("#tabs [aria-current]", { hasText: "broken.py" }).waitFor();
    await app.page.locator("#editor .cm-activeLine", { hasText: "return 1 / 0" }).waitFor();
  });

  test("two boards are connected at once, each with its terminal and its program", async () => {
    await app.connect();
    await app.run("print('I am the first')\nwhile True:\n    pass");
    await app.waitForText("I am the first");
    await app.button("Add a board").click();
    await app.waitForState("loose");
    await app.connect();
    assert.equal(await app.page.locator("#boards .chip").count(), 2);
    await app.run("print('I am the second')");
    await app.waitForText("I am the second");
    await app.waitForState("ready");
    await app.shot("two-boards");
    await app.page.locator("#boards .chip").first().click();
    await app.waitForState("running");
    await app.waitForText("I am the first");
    await app.button("Stop").click();
    await app.waitForState("ready");
    await app.button("Disconnect").click();
    await app.waitForText("I am the second");
    assert.ok(await app.page.locator("#boards").isHidden(), "one board needs no list");
  });

  test("after the first visit the page works without a network, its board too", async () => {
    const isKept = () => Promise.race([navigator.serviceWorker.ready.then(() => true), new Promise((resolve) => setTimeout(resolve, 60_000))]);
    assert.ok(await app.page.evaluate(isKept), "the page is not kept for a time without a network");
    await app.page.context().setOffline(true);
    await app.open();
    await app.connect();
    await app.run("print('far', 'from', 'home')");
    await app.waitForText("far from home");
    await app.page.locator("#tool-zylisp").click();
    await app.page.getByLabel("Code to evaluate").waitFor();
    assert.ok(await app.page.evaluate(() => crossOriginIsolated));
  });
});
