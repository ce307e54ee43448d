/** The page with the board inside it: connecting, running, stopping, failing. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./bench.js";

describe("the page", () => {
  let browser, bench;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (bench = await browser.page()));
  afterEach(() => bench.close());

  test("a program runs on the board in the page and its output is on the screen", async () => {
    await bench.connect();
    await bench.run("for n in range(3):\n    print('number', n * n)");
    await bench.waitForText("finished after");
    const screen = await bench.screen();
    assert.deepEqual(screen.filter((row) => row.startsWith("number")), ["number 0", "number 1", "number 4"]);
    await bench.waitForState("ready");
    assert.match(await lastRow(bench), /^>>>/, "the prompt is back");
  });

  test("run without a board takes the one in the page", async () => {
    await bench.run("print('started', 'by itself')");
    await bench.waitForText("started by itself");
  });

  test("output is shown while the program runs", async () => {
    await bench.connect();
    await bench.run("import time\nprint('first')\ntime.sleep(2)\nprint('second')");
    await bench.waitForText("first");
    assert.equal(await bench.page.evaluate(() => document.body.dataset.state), "running");
    assert.ok(!(await bench.screen()).includes("second"));
    await bench.waitForText("second");
  });

  test("an endless loop that prints is stopped, and the next program runs", async () => {
    await bench.connect();
    await bench.run("n = 0\nwhile True:\n    print('turn', n)\n    n += 1");
    await bench.waitForText("turn");
    await bench.button("Stop").click();
    await bench.waitForText("stopped");
    await bench.waitForState("ready");
    await bench.run("print('still', 'here')");
    await bench.waitForText("still here");
  });

  test("an endless loop that does nothing at all is stopped, and the next program runs", async () => {
    await bench.connect();
    await bench.run("print('going')\nwhile True:\n    pass");
    await bench.waitForText("going");
    await bench.page.keyboard.press("Control+.");
    await bench.waitForText("stopped");
    await bench.waitForState("ready");
    await bench.run("print('still', 'here')");
    await bench.waitForText("still here");
  });

  test("a sleeping program is stopped by Ctrl-C in the terminal", async () => {
    await bench.connect();
    await bench.run("import time\nprint('asleep')\ntime.sleep(60)");
    await bench.waitForText("asleep");
    await bench.page.locator("#terminal").click();
    await bench.page.keyboard.press("Control+c");
    await bench.waitForText("stopped");
    await bench.waitForState("ready");
  });

  test("a traceback marks its line, says what happened, and its links go there", async () => {
    await bench.connect();
    await bench.run("def half(n):\n    return n / 0\n\nhalf(3)");
    await bench.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    assert.equal(await bench.page.locator(".failed-line").innerText(), "    return n / 0");
    await bench.button("line 4").click();
    assert.equal(await bench.focused(), "editor");
    assert.equal(await bench.page.locator(".cm-activeLine").innerText(), "half(3)");
    await bench.run("print('repaired')");
    await bench.waitForText("repaired");
    assert.equal(await bench.page.locator(".failed-line").count(), 0, "a new run takes the mark away");
    assert.ok(await bench.page.locator("#problem").isHidden());
  });

  test("a syntax error marks its line", async () => {
    await bench.connect();
    await bench.run("print('fine')\nfor broken in\nprint('never')");
    await bench.page.getByRole("alert").getByText("SyntaxError").waitFor();
    assert.equal(await bench.page.locator(".failed-line").innerText(), "for broken in");
  });

  test("the terminal is the board's own prompt, and sees what a program left behind", async () => {
    await bench.connect();
    await bench.run("left = 6");
    await bench.waitForText("finished after");
    await bench.waitForState("ready");
    await bench.page.locator("#terminal").click();
    await bench.page.keyboard.type("print('it is', left * 7)\n");
    await bench.waitForText("it is 42");
  });

  test("a soft reset forgets the variables and shows the board's greeting", async () => {
    await bench.connect();
    await bench.page.keyboard.type("gone = 1\n");
    await bench.button("Soft reset").click();
    await bench.waitForText("soft reset");
    await bench.waitForState("ready");
    await bench.page.locator("#terminal").click();
    await bench.page.keyboard.type("print('gone' in globals())\n");
    await bench.waitForText("False");
  });

  test("twenty thousand lines arrive whole and the page stays awake", async () => {
    await bench.connect();
    await bench.run("for n in range(20000):\n    print('line', n)\nprint('that', 'was all')");
    await bench.waitForText("that was all", 30_000);
    assert.ok((await bench.screen()).includes("line 19999"));
  });

  test("an unsaved program survives a reload", async () => {
    await bench.write("# not saved anywhere\n");
    await bench.open();
    assert.match(await bench.page.locator(".cm-content").innerText(), /# not saved anywhere/);
  });

  test("an address that nobody answers is explained, and the other ways stay", async () => {
    await bench.page.getByLabel("Address").fill("127.0.0.1:9");
    await bench.button("Connect").click();
    await bench.page.locator("#failure").waitFor();
    assert.match(await bench.page.locator("#failure").innerText(), /127\.0\.0\.1:9/);
    assert.ok(await bench.button("Start the board").isVisible());
    bench.forgive(/WebSocket connection/);
  });

  test("a board that never answers can be given up, and another one taken", async (t) => {
    const silent = createServer().listen(0, "127.0.0.1");
    t.after(() => silent.close());
    await once(silent, "listening");
    await bench.page.getByLabel("Address").fill(`127.0.0.1:${silent.address().port}`);
    await bench.button("Connect").click();
    await bench.waitForState("connecting");
    await bench.button("Cancel").click();
    await bench.waitForState("loose");
    await bench.connect();
    bench.forgive(/WebSocket connection/);
  });

  test("the board is let go and taken again", async () => {
    await bench.connect();
    await bench.button("Disconnect").click();
    await bench.waitForState("loose");
    await bench.connect();
  });
});

async function lastRow(bench) {
  return (await bench.screen()).findLast((row) => row !== "");
}
