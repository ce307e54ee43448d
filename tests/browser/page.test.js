/** The page with the board inside it: connecting, running, stopping, failing. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";

describe("the page", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page()));
  afterEach(() => app.close());

  test("a program runs on the board in the page and its output is on the screen", async () => {
    await app.connect();
    await app.run("for n in range(3):\n    print('number', n * n)");
    await app.waitForText("finished after");
    const screen = await app.screen();
    assert.deepEqual(screen.filter((row) => row.startsWith("number")), ["number 0", "number 1", "number 4"]);
    await app.waitForState("ready");
    await app.waitForLastRow(">>>");
  });

  test("run without a board takes the one in the page", async () => {
    await app.run("print('started', 'by itself')");
    await app.waitForText("started by itself");
  });

  test("output is shown while the program runs", async () => {
    await app.connect();
    await app.run("print('first')\ninput()\nprint('second')");
    await app.waitForText("first");
    assert.equal(await app.page.evaluate(() => document.body.dataset.state), "running");
    assert.ok(!(await app.screen()).includes("second"));
    await app.page.locator("#terminal").click();
    await app.page.keyboard.press("Enter");
    await app.waitForText("second");
  });

  test("an endless loop that prints is stopped, and the next program runs", async () => {
    await app.connect();
    await app.run("n = 0\nwhile True:\n    print('turn', n)\n    n += 1");
    await app.waitForText("turn");
    await app.button("Stop").click();
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.run("print('still', 'here')");
    await app.waitForText("still here");
  });

  test("an endless loop that does nothing at all is stopped, and the next program runs", async () => {
    await app.connect();
    await app.run("print('going')\nwhile True:\n    pass");
    await app.waitForText("going");
    await app.page.keyboard.press("Control+.");
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.run("print('still', 'here')");
    await app.waitForText("still here");
  });

  test("a sleeping program is stopped by Ctrl-C in the terminal", async () => {
    await app.connect();
    await app.run("import time\nprint('asleep')\ntime.sleep(60)");
    await app.waitForText("asleep");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.press("Control+c");
    await app.waitForText("stopped");
    await app.waitForState("ready");
  });

  test("a traceback marks its line, says what happened, and its links go there", async () => {
    await app.connect();
    await app.run("def half(n):\n    return n / 0\n\nhalf(3)");
    await app.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    assert.equal(await app.page.locator(".failed-line").innerText(), "    return n / 0");
    await app.waitForState("ready");
    await app.button("line 4").click();
    await app.page.locator("#editor .cm-activeLine", { hasText: "half(3)" }).waitFor();
    assert.equal(await app.focused(), "editor");
    await app.run("print('repaired')");
    await app.waitForText("repaired");
    assert.equal(await app.page.locator(".failed-line").count(), 0, "a new run takes the mark away");
    assert.ok(await app.page.locator("#problem").isHidden());
  });

  test("a syntax error marks its line", async () => {
    await app.connect();
    await app.run("print('fine')\nfor broken in\nprint('never')");
    await app.page.getByRole("alert").getByText("SyntaxError").waitFor();
    assert.equal(await app.page.locator(".failed-line").innerText(), "for broken in");
  });

  test("a module of another machine is said to need that", async () => {
    await app.connect();
    await app.run("import esp32");
    await app.page.getByRole("alert").getByText("The board in this page has no esp32: choose another machine under Pins").waitFor();
    await app.waitForState("ready");
  });

  test("a function in native code is said to be more than the board in the page does", async () => {
    await app.connect();
    await app.run("import micropython\n@micropython.native\ndef f(): return 1");
    await app.page.getByRole("alert").getByText("makes no native code").waitFor();
    await app.waitForState("ready");
  });

  test("a loop that is stopped leaves its variables, and one that is in C for long says what was lost", async () => {
    await app.connect();
    await app.run("n = 0\nprint('going')\nwhile True:\n    n += 1");
    await app.waitForText("going");
    await app.button("Stop").click();
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("print('kept', n > 0)\n");
    await app.waitForText("kept True");
    await app.run("print('in', 'C')\nsum(range(1 << 29))");
    await app.waitForText("in C");
    await app.button("Stop").click();
    await app.waitForText("this program could not");
    await app.waitForState("ready");
  });

  test("the terminal is the board's own prompt, and sees what a program left behind", async () => {
    await app.connect();
    await app.run("left = 6");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("print('it is', left * 7)\n");
    await app.waitForText("it is 42");
  });

  test("a soft reset forgets the variables and shows the board's greeting", async () => {
    await app.connect();
    await app.page.keyboard.type("gone = 1\n");
    await app.button("Soft reset").click();
    await app.waitForText("soft reset");
    await app.waitForState("ready");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("print('gone' in globals())\n");
    await app.waitForText("False");
  });

  test("twenty thousand lines arrive whole and the page stays awake", async () => {
    await app.connect();
    await app.run("for n in range(20000):\n    print('line', n)\nprint('that', 'was all')");
    await app.waitForText("that was all");
    assert.ok((await app.screen()).includes("line 19999"));
  });

  test("an unsaved program survives a reload", async () => {
    await app.write("# not saved anywhere\n");
    await app.open();
    assert.match(await app.page.locator(".cm-content").innerText(), /# not saved anywhere/);
  });

  test("an address that nobody answers is explained, and the other ways stay", async () => {
    await app.page.getByLabel("Address").fill("127.0.0.1:9");
    await app.button("Connect").click();
    await app.page.locator("#failure").waitFor();
    assert.match(await app.page.locator("#failure").innerText(), /127\.0\.0\.1:9/);
    assert.ok(await app.button("Start the board").isVisible());
    app.forgive(/WebSocket connection/);
  });

  test("a board that never answers can be given up, and another one taken", async (t) => {
    const silent = createServer().listen(0, "127.0.0.1");
    t.after(() => silent.close());
    await once(silent, "listening");
    await app.page.getByLabel("Address").fill(`127.0.0.1:${silent.address().port}`);
    await app.button("Connect").click();
    await app.waitForState("connecting");
    await app.button("Cancel").click();
    await app.waitForState("loose");
    await app.connect();
    app.forgive(/WebSocket connection/);
  });

  test("the board is let go and taken again", async () => {
    await app.connect();
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.connect();
  });
});
