/** A folder of this computer on the board in the page, by one click; on Web Serial it is in plug.js. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";

const COMPUTER = "Files of this computer";
const MOUNTED = "On the board as /remote";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

test("a program imports from a mounted folder what was saved last, writes into it, and has it until it is taken away", async () => {
  const app = await browser.page();
  await app.connect();
  const files = await Files.open(app);
  await files.openFolder({ "helper.py": "word = 'first'\n", "data.txt": "of the folder" });
  await app.button("Mount on the board").click();
  await app.button(MOUNTED).waitFor();
  assert.equal(await app.exec("import helper\nprint(helper.word, open('data.txt').read())"), "first of the folder");
  await app.shot("mounted");

  await app.button("List the board's files again").click();
  await app.waitForState("ready");
  assert.ok(!(await files.rows("Files on the board")).includes("/remote"), "the folder is listed once");

  await files.row("/helper.py", COMPUTER).dblclick();
  await files.show("helper.py");
  await app.write("word = 'second'\n");
  await files.waitForUnsaved("helper.py");
  await app.page.locator("#tabs button").first().click();
  await app.run("import helper\nwith open('made.txt', 'w') as f: f.write(helper.word)\nprint('wrote', helper.word)");
  await app.button("Save and run").click();
  await app.waitForText("wrote second");
  await app.waitForState("ready");
  assert.equal(await files.inFolder("helper.py"), "word = 'second'\n");
  assert.equal(await files.inFolder("made.txt"), "second");

  await app.button(MOUNTED).click();
  await app.button("Mount on the board").waitFor();
  assert.equal(await app.exec("try:\n    import helper\nexcept ImportError:\n    print('not', 'there')"), "not there");
  await app.close();
});

test("a folder that goes is said to be gone, and the board goes on without it", async () => {
  const app = await browser.page();
  await app.connect();
  const files = await Files.open(app);
  await app.page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("project", { create: true });
    await folder.getFileHandle("here.py", { create: true });
    window.showDirectoryPicker = async () => folder;
  });
  await app.button("Open a folder of this computer").click();
  await files.waitForRow("/here.py", COMPUTER);
  await app.button("Mount on the board").click();
  await app.button(MOUNTED).waitFor();
  await app.page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("project", { recursive: true }));
  await app.run("import os\ntry:\n    os.listdir('/remote')\nexcept OSError as error:\n    print('number', error.errno)");
  await app.waitForText("number 19");
  await app.waitForText("the folder is gone: open it again, and mount it");
  await app.waitForState("ready");
  await app.button(MOUNTED).click();
  await app.button("Mount on the board").waitFor();
  assert.equal(await app.exec("print('goes', 'on')"), "goes on");
  await app.close();
});
