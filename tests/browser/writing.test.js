/** Tests the help for writing programs: running a part, searching all files, listing the keys, explaining a name. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";

describe("the lines that are selected", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
  });
  afterEach(() => app.close());

  test("run alone, whatever their indentation, with what is there already", async () => {
    await app.run("kept = 6\n");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    await app.write("if False:\n    twice = kept * 2\n    print('twice is', twice)\nprint('not this')");
    await select(app, 2, 3);
    await app.page.keyboard.press("Control+Shift+Enter");
    await app.waitForText("twice is 12");
    await app.waitForState("ready");
    assert.ok(!(await app.screen()).some((row) => row.startsWith("not this")));
  });

  test("have the numbers of the document in a traceback; without a selection the line with the cursor runs", async () => {
    await app.write("first = 1\n\nprint('third')\nfirst / 0\n");
    await app.page.keyboard.press("Control+Home");
    await app.page.keyboard.press("ArrowDown");
    await app.page.keyboard.press("ArrowDown");
    await app.page.keyboard.press("Control+Shift+Enter");
    await app.waitForText("third");
    await app.waitForState("ready");
    assert.ok(await app.page.locator("#problem").isHidden());
    await app.page.locator("#editor .cm-content").click();
    await app.write("first = 1\n\nprint('third')\n1 / 0\n");
    await select(app, 3, 4);
    await app.page.keyboard.press("Control+Shift+Enter");
    await app.page.locator("#problem").getByRole("button", { name: "line 4" }).waitFor();
    assert.equal(await app.page.locator(".failed-line").innerText(), "1 / 0");
    await app.waitForState("ready");
  });
});

describe("help at writing", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page()));
  afterEach(() => app.close());

  test("a text is found in the board's files, the folder's and what is not saved yet, and its lines are opened", async () => {
    await app.connect();
    const files = await Files.open(app);
    await files.drop({ "lib/sensor.py": "def read():\n    return NEEDLE\n", "other.py": "# nothing\n" });
    await files.waitForRow("/lib");
    await app.exec("with open('/photo.bin', 'wb') as f: f.write(b'\\xff\\xfeneedle')");
    await files.openFolder({ "notes.txt": "one\nneedle here\n" });
    await files.row("/other.py").click();
    await app.page.locator("#tabs [aria-current]", { hasText: "other.py" }).waitFor();
    await app.waitForState("ready");
    await app.write("# nothing\n# but a needle\n");
    await app.page.keyboard.press("Control+Shift+f");
    await app.page.getByLabel("Find in files", { exact: true }).locator("visible=true").last().fill("needle");
    await app.page.keyboard.press("Enter");
    await app.page.locator(".search .hint", { hasText: "3 lines; 1 file that is large or no text was left out." }).waitFor();
    await app.shot("find-in-files");
    assert.deepEqual(await app.page.locator(".search .where").allInnerTexts(), ["/lib/sensor.py:2", "/other.py:2", "/notes.txt:2"]);
    await app.waitForState("ready");
    await app.page.locator(".search li button").first().click();
    await app.page.locator("#tabs [aria-current]", { hasText: "sensor.py" }).waitFor();
    await app.page.locator("#editor .cm-activeLine", { hasText: "return NEEDLE" }).waitFor();
    await app.waitForState("ready");
  });

  test("the keys are listed by ? wherever nothing is typed, and by a button", async () => {
    await app.page.locator("#tool-program").focus();
    await app.page.keyboard.press("?");
    const list = app.page.getByRole("dialog", { name: "Keys" });
    await list.getByText("Run the lines that are selected").waitFor();
    await app.shot("keys");
    await app.page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    await app.write("what?");
    assert.match(await app.page.locator(".cm-content").innerText(), /what\?/);
    await app.page.keyboard.press("?");
    await app.page.locator(".cm-content", { hasText: "what??" }).waitFor();
    assert.equal(await list.count(), 0);
    await app.button("All keys").click();
    await list.waitFor();
  });

  test("F1 opens the documentation of the name at the cursor, whatever it is called here", async () => {
    const asked = [];
    await app.page.context().route("https://docs.micropython.org/**", (route) => (asked.push(route.request().url()), route.fulfill({ body: "documentation" })));
    const places = {
      "import time\ntime.sleep_ms": "library/time.html#time.sleep_ms",
      "from machine import Pin\nled = Pin(2)\nled.value": "library/machine.Pin.html#machine.Pin.value",
      "import machine as m\nm.reset": "library/machine.html#machine.reset",
      "print": "library/builtins.html#print",
      "import utime\nutime.ticks_ms": "library/time.html#time.ticks_ms",
      "import mystery\nmystery.thing": "search.html?q=thing",
    };
    for (const [program, page] of Object.entries(places)) {
      await app.write(program);
      const opening = app.page.context().waitForEvent("page");
      await app.page.keyboard.press("F1");
      const opened = await opening;
      await opened.waitForURL(`https://docs.micropython.org/en/latest/${page}`);
      await opened.close();
    }
    assert.equal(asked.length, Object.keys(places).length);
  });
});

describe("who writes before the editor's tools are there", () => {
  test("finds what was typed, and a search as soon as they come", async () => {
    const browser = await startBrowser();
    const app = await browser.page();
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await app.page.route(/\/tools-[^/]*\.js$/, async (route) => (await released, route.continue()));
    const asked = app.page.waitForRequest(/\/tools-[^/]*\.js$/);
    await app.write("first = (1)\n");
    await asked;
    await app.page.keyboard.type("print(first");
    await app.page.locator("#editor .cm-line", { hasText: /^print\(first$/ }).waitFor();
    await app.page.keyboard.press("Control+f");
    assert.equal(await app.page.locator(".cm-search").count(), 0);
    release();
    await app.page.locator(".cm-search").getByPlaceholder("Find").waitFor();
    await app.page.locator("#editor .cm-content").click();
    await app.page.keyboard.press("Control+End");
    await app.page.keyboard.type(")\n[");
    await app.page.locator("#editor .cm-line", { hasText: "[]" }).waitFor();
    await app.page.keyboard.press("Backspace");
    await app.page.waitForFunction(() => document.querySelector("#editor .cm-line:last-child").textContent === "");
    await app.close();
    await browser.close();
  });
});

/** Selects whole lines of the editor, by keyboard. */
async function select(app, from, to) {
  await app.page.locator("#editor .cm-content").click();
  await app.page.keyboard.press("Control+Home");
  for (let line = 1; line < from; line++) await app.page.keyboard.press("ArrowDown");
  await app.page.keyboard.press("Home");
  await app.page.keyboard.press("Shift+End");
  for (let line = from; line < to; line++) await app.page.keyboard.press("Shift+ArrowDown");
  await app.page.keyboard.press("Shift+End");
}
