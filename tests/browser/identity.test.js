/**
 * Tests the identity of boards: files go to the board that they came from, whichever is in front.
 */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard, startWebRepl } from "./board.js";
import { Files } from "./files.js";

describe("a file of one board", () => {
  let browser, app, files, board, webRepl;
  before(async () => {
    browser = await startBrowser();
    board = await startBoard({ number: "e6614c311b4a12ab" });
    webRepl = await startWebRepl(board.path, "open sesame");
  });
  after(async () => {
    await browser?.close();
    await webRepl?.stop();
    await board?.stop();
  });
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
    files = await Files.open(app);
    await files.newFile("flash.py");
    await app.write("mine = 1\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("flash.py");
  });
  afterEach(() => app.close());

  test("is saved on that board, whichever is in front", async () => {
    await app.button("Add a board").click();
    await connectWebRepl();
    await app.write("mine = 2\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("flash.py");
    assert.equal(await read("/flash.py"), "none");
    await app.page.locator("#boards .chip").first().click();
    assert.equal(await read("/flash.py"), "mine = 2");
  });

  test("is not saved on another board, unless the person says so", async () => {
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await connectWebRepl();
    await files.show("flash.py");
    await app.write("mine = 3\n");
    await app.page.keyboard.press("Control+s");
    const dialog = app.page.getByRole("dialog");
    await dialog.getByText("/flash.py is from Board in this page, and that board is not connected").waitFor();
    await dialog.getByText("(…12ab). Nothing was written.").waitFor();
    await app.shot("save-on-another-board");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await read("/flash.py"), "none");
    await files.waitForUnsaved("flash.py");
  });

  test("is known by its board after a reload, and by another way to it", async () => {
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await connectWebRepl();
    await app.exec("with open('/flash/ours.py', 'w') as f: f.write('ours = 1\\n')");
    await app.page.locator("#files .start").click();
    await files.row("/flash").click();
    await files.row("/flash/ours.py").click();
    await files.show("ours.py");
    await app.write("ours = 2\n");
    await files.waitForUnsaved("ours.py");
    const second = await startWebRepl(board.path, "open sesame");
    try {
      await webRepl.cut();
      await app.open();
      await app.waitForState("loose");
      await connectWebRepl(second);
      await files.show("ours.py");
      await app.page.locator(".cm-content").click();
      await app.page.keyboard.press("Control+s");
      await files.waitForSaved("ours.py");
      assert.equal(await read("/flash/ours.py"), "ours = 2");
    } finally {
      await second.stop();
    }
  });

  test("of two boards of one kind is saved on the one that it is from, though both have a file of that name", async () => {
    const twin = await startBoard({ number: "e6614c311b4affff" });
    const itsWebRepl = await startWebRepl(twin.path, "open sesame");
    try {
      await app.button("Disconnect").click();
      await app.waitForState("loose");
      await connectWebRepl(itsWebRepl);
      await app.exec("with open('/flash/same.py', 'w') as f: f.write('of = 2\\n')");
      await app.button("Disconnect").click();
      await app.waitForState("loose");
      await connectWebRepl();
      await app.exec("with open('/flash/same.py', 'w') as f: f.write('of = 1\\n')");
      await app.page.locator("#files .start").click();
      await files.row("/flash").click();
      await files.row("/flash/same.py").click();
      await files.show("same.py");
      await app.write("of = 1, 'changed'\n");
      await files.waitForUnsaved("same.py");
      await app.button("Disconnect").click();
      await app.waitForState("loose");
      await connectWebRepl(itsWebRepl);
      await files.show("same.py");
      await app.page.locator(".cm-content").click();
      await app.page.keyboard.press("Control+s");
      const dialog = app.page.getByRole("dialog", { name: "This is another board" });
      await dialog.getByText("(…ffff). Nothing was written.").waitFor();
      await dialog.getByText("(…12ab), and that board is not connected").waitFor();
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await app.button("Add a board").click();
      await connectWebRepl();
      await files.show("same.py");
      await app.page.locator(".cm-content").click();
      await app.page.keyboard.press("Control+s");
      await files.waitForSaved("same.py");
      assert.equal(await read("/flash/same.py"), "of = 1, 'changed'");
      await app.page.locator("#boards .chip").first().click();
      assert.equal(await read("/flash/same.py"), "of = 2");
    } finally {
      await itsWebRepl.stop();
      await twin.stop();
    }
  });

  async function connectWebRepl({ address } = webRepl) {
    await app.page.getByLabel("Address").fill(address);
    await app.page.getByLabel("Password").fill("open sesame");
    await app.page.keyboard.press("Enter");
    await app.waitForState("ready");
  }

  /** Returns the content of this file on the board in front. */
  function read(path) {
    return app.exec(`try: print(open(${JSON.stringify(path)}).read())\nexcept OSError: print('none')`);
  }
});
