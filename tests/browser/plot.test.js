/** The plot: what it draws of what is printed, and what can be done with it. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";

describe("the plot", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
    await app.button("Plot").click();
    await app.page.locator("#plot .hint").waitFor();
  });
  afterEach(() => app.close());

  for (const [what, line, names, row] of [
    ["bare numbers", "print(1.5, -2)", ["value 1", "value 2"], "1.5,-2"],
    ["names and units", "print('temperature: 21.5 °C, humidity = 40 %')", ["temperature (°C)", "humidity (%)"], "21.5,40"],
    ["names without colons", "print('x', 1, 'y', 2)", ["x", "y"], "1,2"],
    ["a dict, also in a dict", "print({'a': 1, 'b': {'c': 2.5, 'd': True}})", ["a", "b.c"], "1,2.5"],
    ["JSON with a list", 'print(\'{"t": 3, "xyz": [4, 5]}\')', ["t", "xyz 1", "xyz 2"], "3,4,5"],
    ["a tuple", "print((7, 8))", ["value 1", "value 2"], "7,8"],
  ]) {
    test(`reads ${what}`, async () => {
      await app.run(`${line}\n${line.split("\n").at(-1)}`);
      await app.page.locator("#plot canvas").waitFor();
      await app.waitForState("ready");
      assert.deepEqual(await app.page.locator("#plot .legend label").allInnerTexts(), names);
      assert.equal((await csv()).split("\r\n")[1], `0,${row}`);
    });
  }

  test("begins again with each run", async () => {
    await app.run("for n in range(5): print('old:', n)");
    await app.page.locator("#plot .legend", { hasText: "old" }).waitFor();
    await app.waitForState("ready");
    await app.run("for n in range(3): print('new:', n)");
    await app.page.locator("#plot .legend", { hasText: "new" }).waitFor();
    await app.waitForState("ready");
    assert.deepEqual(await app.page.locator("#plot .legend label").allInnerTexts(), ["new"]);
    assert.equal((await csv()).split("\r\n").length, 3 + 2);
  });

  test("pauses, shows the last rows, scales, and saves a picture", async () => {
    await app.run("for n in range(500): print('n:', n + 1)");
    await app.page.locator("#plot canvas").waitFor();
    await app.waitForState("ready");
    await app.page.locator("#plot [name=last]").selectOption("last 100");
    await app.page.locator("#plot [name=scale]").selectOption("logarithmic");
    await app.page.locator("#plot canvas").waitFor();
    await app.shot("plot-scaled");
    const coming = app.page.waitForEvent("download");
    await app.button("PNG").click();
    const picture = await readFile(await (await coming).path());
    assert.deepEqual([...picture.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    const pause = app.page.getByRole("button", { name: "Pause" });
    await pause.click();
    await app.page.getByRole("button", { name: "Go on" }).and(app.page.locator("[aria-pressed=true]")).waitFor();
    await app.run("print(1, 2, 3)");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    assert.equal(await app.page.locator("#plot .legend label").count(), 0, "nothing is drawn while it pauses");
    await app.page.getByRole("button", { name: "Go on" }).click();
    await app.page.locator("#plot .legend label").nth(2).waitFor();
  });

  test("says when what is printed holds no numbers", async () => {
    await app.run("for n in range(20): print('a line of words')");
    await app.page.locator("#plot .hint", { hasText: "none of them holds numbers" }).waitFor();
    await app.waitForState("ready");
  });

  async function csv() {
    const coming = app.page.waitForEvent("download");
    await app.button("CSV").click();
    return (await readFile(await (await coming).path())).toString();
  }
});
