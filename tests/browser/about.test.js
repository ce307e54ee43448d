/** About the board: what it is, restarting it, its clock, and all its files as one. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard, startWebRepl } from "./board.js";

const PASSWORD = "open sesame";

describe("about the board in the page", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
  });
  afterEach(() => app.close());

  test("it says what it is and what runs at boot, and offers only what it has", async () => {
    await app.exec("open('/main.py', 'w').write('')");
    const about = await open(app);
    assert.match(await fact(about, "Firmware"), /^MicroPython v1\./);
    assert.match(await fact(about, "Memory"), /^[\d.]+ kB free of [\d.]+ kB$/);
    assert.equal(await fact(about, "At boot"), "main.py");
    assert.ok(await about.getByRole("button", { name: "Hard reset" }).isHidden(), "there is nothing to reset but the interpreter");
    await app.shot("about");
    await about.getByRole("button", { name: "Soft reset" }).click();
    await about.waitFor({ state: "detached" });
    await app.waitForText("soft reset");
    await app.waitForState("ready");
  });

  test("all its files are backed up as a zip, and put back after they were lost", async () => {
    await app.exec("import os\nos.mkdir('/lib')\nfor name in ('/main.py', '/lib/sensor.py'):\n  with open(name, 'w') as f: f.write('# ' + name)\nwith open('/raw.bin', 'wb') as f: f.write(bytes(range(256)) * 40)");
    let about = await open(app);
    const coming = app.page.waitForEvent("download");
    await about.getByRole("button", { name: "Back up as a zip" }).click();
    const backup = await coming;
    assert.match(backup.suggestedFilename(), /^Board-in-this-page-\d{4}-\d\d-\d\d\.zip$/);
    await about.getByText("3 files are in the backup.").waitFor();
    await leave(app, about);
    await app.exec("import os\nfor name in ('/main.py', '/lib/sensor.py', '/raw.bin'): os.remove(name)\nos.rmdir('/lib')\nwith open('/other.py', 'w') as f: f.write('mine')");
    about = await open(app);
    await about.locator("input[type=file]").setInputFiles({ name: "backup.zip", mimeType: "application/zip", buffer: await readFile(await backup.path()) });
    await app.page.getByRole("dialog", { name: "Put this backup back?" }).getByText("backup.zip has 3 files.").waitFor();
    await app.button("Put it back").click();
    await about.getByText("3 files put back.").waitFor();
    await leave(app, about);
    const read = "print(open('/main.py').read(), open('/lib/sensor.py').read(), open('/raw.bin', 'rb').read() == bytes(range(256)) * 40, open('/other.py').read())";
    assert.equal(await app.exec(read), "# /main.py # /lib/sensor.py True mine");
  });

  test("what is no zip file is not put on the board", async () => {
    const about = await open(app);
    await about.locator("input[type=file]").setInputFiles({ name: "photo.zip", mimeType: "application/zip", buffer: Buffer.from("no zip at all") });
    await about.getByText("This is no zip file, or a damaged one.").waitFor();
  });
});

describe("about a board on the network", () => {
  let browser, app, board, webRepl;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  afterEach(async () => {
    await app?.close();
    await webRepl?.stop();
    await board?.stop();
  });

  test("a real board is reset as by its button, and is at its prompt again", async () => {
    await connect({ kind: "microbit" });
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("kept = 6\n");
    await app.page.keyboard.type("print('it is', kept * 7)\n");
    await app.waitForText("it is 42");
    const about = await open(app);
    assert.match(await fact(about, "Pins"), /\bpin0\b/);
    await about.getByRole("button", { name: "Hard reset" }).click();
    await about.getByText("The board was reset.").waitFor();
    await leave(app, about);
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("print('was', 'kept' in globals())\n");
    await app.waitForText("was False");
  });

  test("its clock is set, its pins are named, and in its bootloader it is gone", async () => {
    await connect();
    await app.exec(`with open('/flash/machine.py', 'w') as f: f.write(${JSON.stringify(MACHINE)})`);
    let about = await open(app);
    assert.equal(await fact(about, "Number"), "e66100");
    assert.equal(await fact(about, "Speed"), "125 MHz");
    assert.equal(await fact(about, "Pins"), "GP0 GP25 LED");
    const asked = Date.now();
    await about.getByRole("button", { name: "Set to this computer's time" }).click();
    await about.getByText("The clock is set").waitFor();
    await leave(app, about);
    const [year, month, day, weekday, hour, minute, second] = JSON.parse(await app.exec("print(list(eval(open('/flash/clock').read())))"));
    const now = new Date();
    const shown = new Date(year, month - 1, day, hour, minute, second);
    assert.ok(asked - shown < 2000 && shown <= now, `${shown}`);
    assert.equal(weekday, (shown.getDay() + 6) % 7, "Monday is 0");
    about = await open(app);
    await about.getByRole("button", { name: "Bootloader" }).click();
    await app.page.locator("#board-state", { hasText: "Into the bootloader" }).waitFor();
    await app.waitForState("running");
    await webRepl.cut();
    await about.getByText("The board is in its bootloader").waitFor();
    await leave(app, about, "lost");
  });

  async function connect(options) {
    board = await startBoard(options);
    webRepl = await startWebRepl(board.path, PASSWORD);
    app = await browser.page();
    await app.page.getByLabel("Address").fill(webRepl.address);
    await app.page.getByLabel("Password").fill(PASSWORD);
    await app.page.keyboard.press("Enter");
    await app.waitForState("ready");
  }
});

/** Module that the unix board lacks; its bootloader waits to be cut off. */
const MACHINE = `
def unique_id():
    return b"\\xe6a\\x00"
def freq():
    return 125000000
def bootloader():
    while True:
        pass
class Pin:
    class board:
        GP0 = GP25 = LED = None
class RTC:
    def datetime(self, parts):
        with open("/flash/clock", "w") as file:
            file.write(repr(parts))
`;

async function open(app) {
  await app.button("Info").click();
  const about = app.page.getByRole("dialog");
  await about.locator(".facts dt").first().waitFor();
  await app.waitForState("ready");
  return about;
}

/** Returns the value shown under a name. */
function fact(about, name) {
  return about.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]").innerText();
}

async function leave(app, about, state = "ready") {
  await app.waitForState(state);
  await about.getByRole("button", { name: "Close" }).click();
  await about.waitFor({ state: "detached" });
}
