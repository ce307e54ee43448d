/** The files beside the editor: the board's and this computer's, and what happens to unsaved work. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard, startWebRepl } from "./board.js";
import { Files } from "./files.js";

describe("the files of the board in the page", () => {
  let browser, app, files;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
    files = await Files.open(app);
  });
  afterEach(() => app.close());

  test("a file is made, opened, changed, saved and read by a program", async () => {
    await files.newFile("notes.txt");
    await app.write("kept on the board");
    await files.waitForUnsaved("notes.txt");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("notes.txt");
    assert.equal(await app.exec("print(open('/notes.txt').read())"), "kept on the board");
  });

  test("files and folders go up with every byte, and come down again", async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31 + (at >> 8)) & 255));
    await files.upload([{ name: "all bytes.bin", mimeType: "application/octet-stream", buffer: bytes }]);
    await files.waitForRow("/all bytes.bin");
    await app.waitForState("ready");
    await files.select("/all bytes.bin");
    const down = await files.download();
    assert.equal(down.suggestedFilename(), "all bytes.bin");
    assert.deepEqual(await readFile(await down.path()), bytes);
  });

  test("a folder that is dropped arrives with all that is in it, and is downloaded as a zip file", async () => {
    await files.drop({ "lib/one.py": "ONE = 1\n", "lib/deep/two.py": "TWO = 2\n", "beside.py": "" });
    await files.waitForRow("/lib");
    await files.row("/lib").click();
    await files.row("/lib/deep").click();
    await files.waitForRow("/lib/deep/two.py");
    assert.equal(await app.exec("import sys\nsys.path.append('/lib/deep')\nimport two\nprint(two.TWO)"), "2");
    await files.select("/lib");
    const down = await files.download();
    assert.equal(down.suggestedFilename(), "lib.zip");
    assert.match((await readFile(await down.path())).toString("latin1"), /lib\/deep\/two\.py/);
  });

  test("files are dropped anywhere on an empty board's place", async () => {
    assert.deepEqual(await files.rows(), []);
    await files.drop({ "first.py": "FIRST = 1\n" }, "[data-place=board] .place-head");
    await files.waitForRow("/first.py");
    await app.waitForState("ready");
    assert.equal(await app.exec("import first\nprint(first.FIRST)"), "1");
  });

  test("files are renamed and deleted, by keyboard alone", async () => {
    await files.newFile("a.py");
    await files.newFile("b.py");
    await files.select("/a.py");
    await app.page.keyboard.press("F2");
    await files.answer("c.py");
    await files.waitForRow("/c.py");
    assert.deepEqual(await files.rows(), ["/b.py", "/c.py"]);
    await files.select("/b.py");
    await app.page.keyboard.press("Delete");
    await app.page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
    await files.waitForNoRow("/b.py");
    assert.equal(await app.exec("import os\nprint([name for name in os.listdir('/') if name.endswith('.py')])"), "['c.py']");
  });

  test("unsaved work survives a reload", async () => {
    await files.newFile("draft.py");
    await app.write("# half a thought");
    await files.waitForUnsaved("draft.py");
    await app.open();
    assert.match(await app.page.locator(".cm-content").innerText(), /# half a thought/);
    await files.waitForUnsaved("draft.py");
  });

  test("a file that the board has changed meanwhile is shown, and not overwritten", async () => {
    await files.newFile("shared.py");
    await app.write("mine = 1\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("shared.py");
    await app.exec("with open('/shared.py', 'w') as f: f.write('theirs = 2\\n')");
    await files.show("shared.py");
    await app.write("mine = 3\n");
    await app.page.keyboard.press("Control+s");
    const conflict = app.page.locator("#conflict");
    await conflict.getByText("has changed since you opened it").waitFor();
    assert.equal(await app.exec("print(open('/shared.py').read())", { unsaved: true }), "theirs = 2");
    await files.show("shared.py");
    await app.page.keyboard.press("Control+s");
    await conflict.getByRole("button", { name: "Compare" }).click();
    await app.page.getByRole("dialog").getByText("theirs = 2").waitFor();
    await app.shot("conflict-compare");
    await app.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await conflict.getByRole("button", { name: "Take the board's" }).click();
    await app.page.locator(".cm-content").getByText("theirs = 2").waitFor();
    await conflict.waitFor({ state: "hidden" });
  });

  test("a long upload is cancelled, and the old file is whole", async () => {
    await app.exec("with open('/big.bin', 'w') as f: f.write('old')");
    await files.upload([{ name: "big.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(1_300_000, 7) }]);
    const cancelled = app.page.evaluate(cancelOnceBegun);
    await app.page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    assert.ok((await cancelled) < 1);
    await app.waitForState("ready");
    assert.equal(await app.exec("print(open('/big.bin').read())"), "old");
  });

  test("a folder of this computer is edited, and copied to the board and back", async () => {
    await files.openFolder({ "here.py": "print('from', 'here')\n" });
    await files.row("/here.py").click();
    await app.page.locator(".cm-content").getByText("from").waitFor();
    await files.drag("/here.py", "Files on the board");
    await files.waitForRow("/here.py", "Files on the board");
    assert.equal(await app.exec("import here"), "from here");
    await app.exec("with open('/there.txt', 'w') as f: f.write('from the board')");
    await app.button("List the board's files again").click();
    await files.waitForRow("/there.txt");
    await files.drag("/there.txt", "Files of this computer");
    await files.waitForRow("/there.txt", "Files of this computer");
    assert.equal(await files.inFolder("there.txt"), "from the board");
  });
});

describe("the files of a real board", () => {
  test("they are listed only when the person asks, and go up and down over WebREPL and Web Serial", async () => {
    for (const way of [overWebRepl, overSerial]) {
      const { browser, app, stop } = await way();
      try {
        const files = await Files.open(app, { list: false });
        assert.deepEqual(await files.rows(), [], "a board that may be at work is not disturbed");
        await app.page.locator(".start").click();
        await app.waitForState("ready");
        await files.row(HOME).click();
        await files.row(HOME).and(app.page.locator("[aria-expanded=true]")).waitFor();
        await app.waitForState("ready");
        const bytes = Buffer.from(Uint8Array.from({ length: 20_000 }, (_, at) => (at * 7) & 255));
        await files.upload([{ name: "up.bin", mimeType: "application/octet-stream", buffer: bytes }]);
        await files.waitForRow(`${HOME}/up.bin`);
        await app.waitForState("ready");
        assert.equal(await app.exec("print(sum(open('/flash/up.bin', 'rb').read()))"), String(bytes.reduce((sum, byte) => sum + byte, 0)));
        await files.select(`${HOME}/up.bin`);
        assert.deepEqual(await readFile(await (await files.download()).path()), bytes);
        await app.close();
      } finally {
        await browser.close();
        await stop();
      }
    }
  });
});

/** Cancels a transfer as soon as a part of it is done; returns which. A person's hand is too slow for what fits on this board. */
function cancelOnceBegun() {
  return new Promise((resolve) => {
    const look = (_, observer) => {
      const bar = document.querySelector(".transfer progress");
      if (!(bar?.position > 0)) return;
      observer.disconnect();
      bar.closest(".transfer").querySelector("button").click();
      resolve(bar.position);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
  });
}

/** Folder of the unix port that can be written to. */
const HOME = "/flash";

async function overWebRepl() {
  const board = await startBoard();
  const webRepl = await startWebRepl(board.path, "open sesame");
  const browser = await startBrowser();
  const app = await browser.page();
  await app.page.getByLabel("Address").fill(webRepl.address);
  await app.page.getByLabel("Password").fill("open sesame");
  await app.page.keyboard.press("Enter");
  await app.waitForState("ready");
  return { browser, app, stop: async () => (await webRepl.stop(), board.stop()) };
}

async function overSerial() {
  const board = await startBoard({ rawPaste: true });
  const browser = await startBrowser({ serial: board.path });
  const app = await browser.page();
  await app.button("Raspberry Pi Pico 2e8a:0005").click();
  await app.waitForState("ready");
  return { browser, app, stop: () => board.stop() };
}
