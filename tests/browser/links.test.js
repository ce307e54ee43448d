/** The page with a real MicroPython on the other end of a real link: WebREPL, and Web Serial. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
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
    const app = await browser.page();
    await dial(app, webRepl.address, "open sesame");
    await app.waitForState("ready");
    await exercise(app);
    assert.equal(await app.focused(), "editor");
    webRepl.cut();
    await app.waitForState("lost");
    assert.equal(await app.focused(), "editor", "who is writing goes on writing");
    await app.button("Reconnect").click();
    await app.waitForState("ready");
    assert.equal(await app.focused(), "terminal");
    webRepl.cut();
    await app.waitForState("lost");
    assert.equal(await app.focused(), "reconnect", "who was at the board is led to it again");
    await app.shot("lost");
    await app.button("Reconnect").click();
    await app.waitForState("ready");
    await app.run("print('found', 'again')");
    await app.waitForText("found again");
    await app.close();
  });

  test("a program that prints what a board prints when it starts is shown to its end", async () => {
    const app = await browser.page();
    await dial(app, webRepl.address, "open sesame");
    await app.waitForState("ready");
    const banner = `print('Type "help()" for more information.\\r\\n>>> ', end='')`;
    await app.run(`import time\n${banner}\ntime.sleep(1)\nprint('runs', 'on')`);
    await app.waitForText("runs on");
    await app.waitForState("ready");
    await app.run("print('goes', 'on')");
    await app.waitForText("goes on");
    await app.close();
  });

  test("a wrong password is said, and may be typed again", async () => {
    const app = await browser.page();
    await dial(app, webRepl.address, "close sesame");
    await app.page.locator("#failure").waitFor();
    assert.match(await app.page.locator("#failure").innerText(), /password/);
    await dial(app, webRepl.address, "open sesame");
    await app.waitForState("ready");
    await app.close();
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
    const app = await browser.page({ without: "serial" });
    await app.waitForState("ready");
    await exercise(app);
    const other = await browser.page({ without: "serial" });
    await other.waitForState("ready");
    await other.run("print('in', 'turns')");
    await other.waitForText("in turns");
    await app.run("print('once', 'more')");
    await app.waitForText("once more");
    await other.close();
    await app.button("Disconnect").click();
    await app.page.locator("#shared-boards button").click();
    await app.waitForState("ready");
    await app.run("print('taken', 'again')");
    await app.waitForText("taken again");
    assert.equal(await app.page.locator("#board-name").innerText(), board.path);
    await app.close();
  });

  test("who begins to write while the terminal is still to come goes on writing", async () => {
    const app = await browser.page({ without: "serial" });
    let bring;
    const isWritten = new Promise((resolve) => (bring = resolve));
    await app.page.route(/assets\/terminal-[^/]*\.js$/, (route) => isWritten.then(() => route.continue()));
    await app.open();
    await app.waitForState("ready");
    await app.write("print('typed',");
    bring();
    await app.waitForText(">>>");
    assert.equal(await app.focused(), "editor");
    await app.page.keyboard.insertText(" 'in one go')");
    await app.page.keyboard.press("Control+Enter");
    await app.waitForText("typed in one go");
    await app.close();
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

  test("a port that never closes is let go all the same", async () => {
    const app = await browser.page();
    await app.button("Raspberry Pi Pico 2e8a:0005").click();
    await app.waitForState("ready");
    await app.page.evaluate(() => (SerialPort.prototype.close = () => new Promise(() => {})));
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.close();
  });

  test("a real MicroPython on real Web Serial runs, stops, fails with its line marked, and is pulled out", async () => {
    const app = await browser.page();
    await app.button("Raspberry Pi Pico 2e8a:0005").click();
    await app.waitForState("ready");
    await exercise(app);
    await app.run("import time\nprint('unsuspecting')\ntime.sleep(60)");
    await app.waitForText("unsuspecting");
    await board.stop();
    await app.waitForState("lost");
    assert.match(await app.page.locator("#loss").innerText(), /Connection lost/);
    await app.close();
  });
});

async function dial(app, address, password) {
  await app.page.getByLabel("Address").fill(address);
  await app.page.getByLabel("Password").fill(password);
  await app.page.keyboard.press("Enter");
}

/** Exercises the common uses of a board. */
async function exercise(app) {
  await app.run("import sys\nprint('this is', sys.platform)");
  await app.waitForText("this is linux");
  await app.waitForState("ready");
  await app.run("n = 0\nwhile True:\n    n += 1\n    if n == 1: print('turning')");
  await app.waitForText("turning");
  await app.button("Stop").click();
  await app.waitForText("stopped");
  await app.waitForState("ready");
  await app.run("print('fine')\nprint(undefined)");
  await app.page.getByRole("alert").getByText("NameError").waitFor();
  assert.equal(await app.page.locator(".failed-line").innerText(), "print(undefined)");
  await app.waitForState("ready");
}
