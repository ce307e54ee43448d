/** Tests the memory that the page keeps and releases. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { exported, startDevice } from "./device.js";
import { Files } from "./files.js";

describe("what the page keeps", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("does not stop the page when it is damaged, and is not written over", async () => {
    const damaged = {
      "document.program": ['{"version": "1", "document": {"id": "program", "te', '{"id": 1}', "[null]", '{"version": "1", "document": {"id": "program", "opened": 0, "text": "x", "where": {"path": "/a.py"}}}'],
      zylisp: ["[1", '"a"', "[1]", "null"],
      divider: ["wide", "NaN", "", "{}"],
      tool: ["none", "[]", "", "0"],
      shown: ["none", "{", "", "0"],
      files: ["maybe", "{", "", "0"],
    };
    for (const at of damaged["document.program"].keys()) {
      const app = await browser.page();
      const texts = Object.entries(damaged).map(([name, all]) => [`flylead.${name}`, all[at]]);
      await app.page.evaluate((all) => all.forEach(([name, text]) => localStorage.setItem(name, text)), texts);
      await app.open();
      await app.page.locator("#tool-zylisp").click();
      await app.page.getByLabel("Code to evaluate").waitFor();
      await app.page.locator("#tool-program").click();
      await app.run("print('it', 'works')");
      await app.waitForText("it works");
      assert.equal(await app.page.locator("#divider").getAttribute("aria-valuenow"), "50");
      const aside = await app.page.evaluate(() => localStorage.getItem("flylead.unreadable.document.program"));
      assert.equal(aside, damaged["document.program"][at]);
      await app.close();
    }
  });

  test("charts that are closed are let go", async () => {
    const app = await browser.page();
    await app.connect();
    await startDevice(app);
    await exported(app, "run_300");
    const view = (name) => app.page.locator("#experiments [data-view]", { hasText: name }).click();
    const charts = await counted(app, "ResizeObserver.prototype");
    for (let round = 0; round < 10; round++) {
      await view("Table");
      await app.page.locator("#experiments table").waitFor();
      await view("Chart");
      await app.page.locator("#experiments canvas").waitFor();
    }
    // The browser itself may hold on to the last one; ten were closed.
    await waitForCount(app, charts + 1, "ResizeObserver.prototype");
    await waitForCount(app, 1, "HTMLCanvasElement.prototype", "canvas => !canvas.isConnected");
    await app.close();
  });

  test("comparisons that are closed are let go", async () => {
    const app = await browser.page();
    await app.connect();
    const files = await Files.open(app);
    await files.newFile("shared.py");
    await app.write("mine = 1\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("shared.py");
    await app.exec("with open('/shared.py', 'w') as f: f.write('theirs = 2\\n')");
    await files.show("shared.py");
    await app.write("mine = 3\n");
    await app.page.keyboard.press("Control+s");
    const dialog = app.page.getByRole("dialog");
    for (let round = 0; round < 5; round++) {
      await app.button("Compare").click();
      await dialog.locator(".diff").getByText("theirs = 2").waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      await dialog.waitFor({ state: "detached" });
    }
    // The browser itself may hold on to the last one, as to what had the focus.
    await waitForCount(app, 1, "HTMLDivElement.prototype", "div => div.classList.contains('diff')");
    await app.close();
  });
});

/**
 * Waits for objects to be released, possibly by a task that is still to run. Objects that are kept
 * fail here.
 */
async function waitForCount(app, expected, ...what) {
  const until = Date.now() + 60_000;
  while ((await counted(app, ...what)) > expected && Date.now() < until) await app.page.waitForTimeout(200);
  assert.ok((await counted(app, ...what)) <= expected);
}

/** Counts the objects with this prototype that survive a garbage collection, of those that `filter` accepts. */
async function counted(app, prototype, filter = "() => true") {
  const devTools = await app.page.context().newCDPSession(app.page);
  const { result } = await devTools.send("Runtime.evaluate", { expression: prototype });
  const { objects } = await devTools.send("Runtime.queryObjects", { prototypeObjectId: result.objectId });
  const functionDeclaration = `function () { return this.filter(${filter}).length; }`;
  const counting = await devTools.send("Runtime.callFunctionOn", { functionDeclaration, objectId: objects.objectId, returnByValue: true });
  await devTools.detach();
  return counting.result.value;
}
