/** The board in the page: this browser keeps its files, all tabs have the same ones, and files of any size go there and back. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { App, startBrowser } from "./app.js";
import { Files } from "./files.js";

const LIST = "import os\nprint(sorted(name for name in os.listdir('/') if name not in ('dev', 'home', 'proc', 'tmp')))";

describe("the board in the page", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("keeps its files over a reload and Disconnect: written, grown, cut, renamed and deleted ones, and folders", async () => {
    const app = await browser.page();
    await app.connect();
    await app.exec("import os\nopen('/a.txt', 'w').write('one')\nopen('/cut.txt', 'w').write('0123456789')\nopen('/gone.txt', 'w').write('x')\nos.mkdir('/lib')\nos.mkdir('/lib/empty')\nopen('/lib/old.py', 'w').write('VALUE = 3')");
    await app.exec("import os\nopen('/a.txt', 'a').write(' two')\nopen('/cut.txt', 'w').write('01')\nos.remove('/gone.txt')\nos.rename('/lib/old.py', '/lib/new.py')\nf = open('/mid.txt', 'w+')\nf.write('abcdef')\nf.flush()\nf.seek(2)\nf.write('XY')\nf.close()");
    const look = "import os, new\nprint(open('/a.txt').read(), open('/cut.txt').read(), open('/mid.txt').read(), new.VALUE, sorted(os.listdir('/lib')))\n" + LIST;
    const expected = "one two 01 abXYef 3 ['empty', 'new.py']\n['a.txt', 'cut.txt', 'lib', 'mid.txt']";
    await app.open();
    await app.waitForState("loose");
    await app.connect();
    assert.equal(await app.exec(look), expected, "after a reload");
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.connect();
    assert.equal(await app.exec(look), expected, "after Disconnect");
    await app.close();
  });

  test("says that it is gone when its frame ends, and is started again with its files", async () => {
    const app = await browser.page();
    await app.connect();
    await app.exec("open('/kept.txt', 'w').write('kept')");
    // As when the frame's process is killed: the page hears nothing of it.
    await app.page.evaluate(() => document.querySelector("iframe[sandbox]").remove());
    await app.run("print(1)");
    await app.waitForState("lost");
    await app.waitForText("the board is gone: the connection closed");
    await app.button("Reconnect").click();
    assert.equal(await app.exec("print(open('/kept.txt').read())"), "kept");
    await app.close();
  });

  test("stops a main.py that sleeps, which comes with each connection", async () => {
    const app = await browser.page();
    await app.connect();
    await app.exec("open('/main.py', 'w').write('import time\\nwhile True:\\n    print(1)\\n    time.sleep(0.2)\\n')");
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.button("Start the board").click();
    await app.waitForLastRow("1");
    await app.page.keyboard.press("Control+.");
    await app.waitForText("KeyboardInterrupt");
    assert.equal(await app.exec("print(6 * 7)"), "42");
    await app.close();
  });

  test("says in a sentence that this browser's storage is full, and stores what was refused with the next change", async () => {
    // As browsers answer: with a name and no words. (The quota of a profile of a test is not kept to by this Chromium.)
    const full = () => {
      const { put } = IDBObjectStore.prototype;
      globalThis.makeRoom = () => (IDBObjectStore.prototype.put = put);
      IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); };
    };
    const app = await browser.page({ before: (context) => context.addInitScript(full) });
    await app.connect();
    await app.run("with open('/large.bin', 'wb') as file:\n    for _ in range(10): file.write(bytes(100_000))");
    await app.waitForText("the storage of this browser is full:");
    await app.waitForState("ready");
    const look = "import os\nprint(os.stat('/large.bin')[6])";
    assert.equal(await app.exec(look), "1000000");
    await app.page.evaluate(() => globalThis.makeRoom());
    await app.exec("open('/small.txt', 'w').write('small')");
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.open();
    await app.connect();
    assert.equal(await app.exec(look), "1000000");
    await app.close();
  });

  test("keeps a file that is open here as that board's, and what is saved there after a reload", async () => {
    const app = await browser.page();
    await app.connect();
    const files = await Files.open(app);
    await files.newFile("mine.py");
    await app.write("a = 1\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("mine.py");
    await app.open();
    await app.connect();
    await files.show("mine.py");
    await app.write("a = 2\n");
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("mine.py");
    assert.equal(await app.exec("print(open('/mine.py').read())"), "a = 2");
    await app.close();
  });

  test("restarts when the person says so", async () => {
    const app = await browser.page();
    assert.ok(await app.button("Start over…").isHidden(), "there is nothing to erase");
    await app.connect();
    await app.exec("open('/a.txt', 'w').write('one')");
    await app.button("Disconnect").click();
    await app.button("Start over…").click();
    await app.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await app.button("Start over…").click();
    await app.page.getByRole("dialog").getByRole("button", { name: "Delete them and start" }).click();
    await app.waitForState("ready");
    await app.waitForText(">>>");
    assert.equal(await app.exec(LIST), "[]");
    await app.close();
  });

  test("has the same files in every tab, while they are open and when one of them comes back alone", async () => {
    const one = await browser.page();
    await one.connect();
    await one.exec("open('/one.txt', 'w').write('1')\nimport os\nos.mkdir('/lib')\nopen('/lib/old.py', 'w').write('')");
    const other = new App(await one.page.context().newPage(), browser.url);
    await other.open();
    await other.connect();
    await other.exec("import os\nopen('/two.txt', 'w').write('2')\nos.remove('/lib/old.py')\nos.rmdir('/lib')");
    const until = Date.now() + 60_000;
    while ((await one.exec(LIST)) !== "['one.txt', 'two.txt']" && Date.now() < until) await one.page.waitForTimeout(200);
    assert.equal(await one.exec(LIST + "\nprint(open('/two.txt').read())"), "['one.txt', 'two.txt']\n2");
    await one.exec("open('/two.txt', 'a').write('!')");
    while ((await other.exec("print(open('/two.txt').read())")) !== "2!" && Date.now() < until) await other.page.waitForTimeout(200);
    // Both tabs close; the files are there in the next one.
    const context = one.page.context();
    const last = new App(await context.newPage(), browser.url);
    await Promise.all([one.page.close(), other.page.close()]);
    await last.open();
    await last.connect();
    assert.equal(await last.exec(LIST + "\nprint(open('/two.txt').read())"), "['one.txt', 'two.txt']\n2!");
    await last.close();
  });

  test("has one content of a file in all tabs, whichever wrote it last", async () => {
    const one = await browser.page();
    await one.connect();
    const other = new App(await one.page.context().newPage(), browser.url);
    await other.open();
    await other.connect();
    const names = Array.from({ length: 8 }, (_, n) => `/same${n}.txt`);
    const write = (app, text) => app.exec(`import time\nfor name in ${JSON.stringify(names)}:\n    open(name, 'w').write('${text}')\n    time.sleep_ms(130)`);
    await Promise.all([write(one, "one"), write(other, "other")]);
    const read = `print([open(name).read() for name in ${JSON.stringify(names)}])`;
    const until = Date.now() + 20_000;
    let seen;
    do seen = [await one.exec(read), await other.exec(read)];
    while (seen[0] !== seen[1] && Date.now() < until);
    assert.equal(seen[0], seen[1]);
    // It is what the browser keeps, too.
    await other.page.close();
    await one.open();
    await one.connect();
    assert.equal(await one.exec(read), seen[0]);
    await one.close();
  });

  test("works where the browser keeps nothing, and says so", async () => {
    const app = await browser.page();
    await app.page.addInitScript(() => Object.defineProperty(window, "indexedDB", { value: { open: () => { throw new Error("no room at all"); } } }));
    await app.open();
    await app.connect();
    await app.waitForText("this browser does not keep the board's files: no room at all");
    assert.equal(await app.exec("open('/a.txt', 'w').write('one')\nprint(open('/a.txt').read())"), "one");
    await app.close();
  });

  test("takes files of a megabyte, and gives them back, in time that grows no faster than they do", async () => {
    const app = await browser.page();
    await app.connect();
    const files = await Files.open(app);
    for (const size of [300_000, 1_000_000]) {
      const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, at) => (Math.imul(at, 2654435761) >>> 13) & 255));
      const began = performance.now();
      await files.upload([{ name: `${size}.bin`, mimeType: "application/octet-stream", buffer: bytes }]);
      await files.waitForRow(`/${size}.bin`);
      await app.waitForState("ready");
      const up = performance.now() - began;
      await files.select(`/${size}.bin`);
      const back = performance.now();
      const down = await files.download();
      const content = await readFile(await down.path());
      console.log(`${size / 1e6} MB to the board in the page: ${Math.round(up)} ms up, ${Math.round(performance.now() - back)} ms down`);
      assert.ok(bytes.equals(content));
      await app.waitForState("ready");
    }
    await app.open();
    await app.connect();
    assert.equal(await app.exec("import os\nprint(os.stat('/300000.bin')[6], os.stat('/1000000.bin')[6])"), "300000 1000000");
    await app.close();
  });
});
