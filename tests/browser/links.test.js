/** The page with a real MicroPython on the other end of a real link: WebREPL, and Web Serial. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./bench.js";
import { startBoard, startWebRepl } from "./board.js";

describe("a board on the network", () => {
  let browser, board, webRepl;
  before(async () => {
    board = await startBoard();
    webRepl = await startWebRepl(board.path, "open sesame");
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    await webRepl?.stop();
    await board?.stop();
  });

  test("a real MicroPython behind WebREPL runs, stops, fails with its line marked, and is lost and found", async () => {
    const bench = await browser.page();
    await dial(bench, webRepl.address, "open sesame");
    await bench.waitForState("ready");
    await exercise(bench);
    assert.equal(await bench.focused(), "editor");
    webRepl.cut();
    await bench.waitForState("lost");
    assert.equal(await bench.focused(), "editor", "who is writing goes on writing");
    await bench.button("Reconnect").click();
    await bench.waitForState("ready");
    assert.equal(await bench.focused(), "terminal");
    webRepl.cut();
    await bench.waitForState("lost");
    assert.equal(await bench.focused(), "reconnect", "who was at the board is led to it again");
    await bench.shot("lost");
    await bench.button("Reconnect").click();
    await bench.waitForState("ready");
    await bench.run("print('found', 'again')");
    await bench.waitForText("found again");
    await bench.close();
  });

  test("a board that restarts in the middle of a program is said to have, and runs the next one", async () => {
    const bench = await browser.page();
    await dial(bench, webRepl.address, "open sesame");
    await bench.waitForState("ready");
    // The last line that a board prints when it starts, and its prompt: the program says them, and then nothing more.
    await bench.run(`print('Type "help()" for more information.\\r\\n>>> ', end='')\nwhile True: pass`);
    await bench.waitForText("the board restarted");
    await bench.waitForState("ready");
    await bench.run("print('goes', 'on')");
    await bench.waitForText("goes on");
    await bench.close();
  });

  test("a wrong password is said, and may be typed again", async () => {
    const bench = await browser.page();
    await dial(bench, webRepl.address, "close sesame");
    await bench.page.locator("#failure").waitFor();
    assert.match(await bench.page.locator("#failure").innerText(), /password/);
    await dial(bench, webRepl.address, "open sesame");
    await bench.waitForState("ready");
    await bench.close();
  });
});

describe("a board of another computer", () => {
  let browser, board;
  before(async () => {
    board = await startBoard();
    browser = await startBrowser({ served: board.path });
  });
  after(async () => {
    await browser?.close();
    await board?.stop();
  });

  test("a browser without Web Serial has the board of the server it got the page from, in turns with others", async () => {
    const bench = await browser.page({ without: "serial" });
    await bench.waitForState("ready");
    await exercise(bench);
    const other = await browser.page({ without: "serial" });
    await other.waitForState("ready");
    await other.run("print('in', 'turns')");
    await other.waitForText("in turns");
    await bench.run("print('once', 'more')");
    await bench.waitForText("once more");
    await other.close();
    await bench.close();
  });
});

describe("a board on USB", () => {
  let browser, board;
  before(async () => {
    board = await startBoard();
    browser = await startBrowser({ serial: board.path });
  });
  after(async () => {
    await browser?.close();
    await board?.stop();
  });

  test("a real MicroPython on real Web Serial runs, stops, fails with its line marked, and is pulled out", async () => {
    const bench = await browser.page();
    await bench.button("Raspberry Pi Pico 2e8a:0005").click();
    await bench.waitForState("ready");
    await exercise(bench);
    await bench.run("import time\nprint('unsuspecting')\ntime.sleep(60)");
    await bench.waitForText("unsuspecting");
    await board.stop();
    await bench.waitForState("lost");
    assert.match(await bench.page.locator("#loss").innerText(), /Connection lost/);
    await bench.close();
  });
});

async function dial(bench, address, password) {
  await bench.page.getByLabel("Address").fill(address);
  await bench.page.getByLabel("Password").fill(password);
  await bench.page.keyboard.press("Enter");
}

/** What everybody does with a board. */
async function exercise(bench) {
  await bench.run("import sys\nprint('this is', sys.platform)");
  await bench.waitForText("this is linux");
  await bench.waitForState("ready");
  await bench.run("n = 0\nwhile True:\n    n += 1\n    if n == 1: print('turning')");
  await bench.waitForText("turning");
  await bench.button("Stop").click();
  await bench.waitForText("stopped");
  await bench.waitForState("ready");
  await bench.run("print('fine')\nprint(undefined)");
  await bench.page.getByRole("alert").getByText("NameError").waitFor();
  assert.equal(await bench.page.locator(".failed-line").innerText(), "print(undefined)");
  await bench.waitForState("ready");
}
