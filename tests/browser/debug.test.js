/** The debugger of the page: on the board in it, and on a real MicroPython over Web Serial. */

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance } from "./axe.js";
import { startBoard } from "./board.js";

const PROGRAM = `def mean(values):
    total = 0

    for value in values:
        total += value
    return total / len(values)

print("the mean is", mean([1, 2, 6]))
print("that was all")
`;

describe("the debugger of the page", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page()));
  afterEach(() => app.close());

  test("a program on the board in the page stops at a breakpoint, is looked at, goes on by steps and ends", async () => {
    const loaded = new Set();
    app.page.on("response", (response) => /wasm_bg.*\.wasm$/.test(response.url()) && loaded.add(response.url()));
    await app.connect();
    await app.write(PROGRAM);
    await clickLine(app, 2);
    const before = loaded.size;
    await debug(app);
    await exercise(app);
    assert.equal(loaded.size, before + 1, "the debugger's WebAssembly comes when it is wanted");
  });

  test("Debug without a breakpoint stops at the first line, and without a board takes the one in the page", async () => {
    await app.write(PROGRAM);
    await debug(app);
    await stoppedAt(app, "def mean(values):");
    await app.page.keyboard.press("F5");
    await app.waitForText("that was all");
    await app.waitForText("finished after");
    await app.waitForState("ready");
  });

  test("keys: F9, F5, F10, F11, Shift+F11 and Shift+F5, and a screen reader is told", async () => {
    await app.connect();
    await app.write(PROGRAM);
    const { keyboard } = app.page;
    const cursorTo = async (line) => {
      await keyboard.press("Control+Home");
      for (let at = 1; at < line; at += 1) await keyboard.press("ArrowDown");
    };
    await cursorTo(3);
    await keyboard.press("F9");
    await told(app, "Breakpoint in line 4");
    assert.deepEqual(await breakpoints(app), ["4"], "an empty line's breakpoint is at the next");
    await cursorTo(4);
    await keyboard.press("F9");
    await told(app, "No breakpoint in line 4 any more");
    await cursorTo(8);
    await keyboard.press("F9");
    await keyboard.press("F5");
    await told(app, "Stopped at a breakpoint in line 8");
    assert.equal(await app.focused(), "editor");
    await keyboard.press("F11");
    await told(app, "Stopped in line 2 of mean");
    await keyboard.press("F10");
    await told(app, "Stopped in line 4 of mean");
    await keyboard.press("Shift+F11");
    await told(app, "Stopped in line 9");
    await keyboard.press("Shift+F5");
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.page.locator(".stopped-line").waitFor({ state: "detached" });
    assert.ok(!(await app.screen()).some((row) => row.includes("that was all")));
    await app.run("print('goes', 'on')");
    await app.waitForText("goes on");
  });

  test("breakpoints stay with their lines and survive a reload", async () => {
    await app.write(PROGRAM);
    await clickLine(app, 5);
    await app.page.locator("#editor .cm-content").click();
    await app.page.keyboard.press("Control+Home");
    await app.page.keyboard.type("# a line before\n");
    assert.deepEqual(await breakpoints(app), ["6"]);
    await app.open();
    await app.page.locator(".breakpoint").waitFor();
    assert.deepEqual(await breakpoints(app), ["6"]);
    await clickLine(app, 6);
    assert.deepEqual(await breakpoints(app), []);
  });

  test("a stopped program gets a breakpoint elsewhere and loses both, and is paused while it runs", async () => {
    await app.connect();
    await app.write("import time\ndef tick(n):\n    time.sleep(0.01)\n    return n + 1\nn = 0\nprint('begun')\nwhile True:\n    n = tick(n)\n");
    await clickLine(app, 5);
    await debug(app);
    await stoppedAt(app, "n = 0");
    await clickLine(app, 4);
    await app.button("Continue").click();
    await stoppedAt(app, "    return n + 1");
    await waitForVariable(app, "n", "0");
    await app.waitForText("begun");
    await clickLine(app, 4);
    await clickLine(app, 5);
    await app.button("Continue").click();
    await app.page.locator("[data-program=running]").waitFor();
    await app.button("Pause").click();
    await app.page.locator("[data-program=stopped]").waitFor();
    await app.page.locator(".debug-where", { hasText: "Paused in line" }).waitFor();
    await app.page.locator(".stack", { hasText: "<module>, line 8" }).waitFor();
    await app.button("Continue").click();
    await app.page.locator("[data-program=running]").waitFor();
    await app.button("Pause").click();
    await app.page.locator(".debug-where", { hasText: "Paused in line" }).waitFor();
    await app.button("Stop").click();
    await app.waitForText("stopped");
    await app.waitForState("ready");
    await app.page.locator("#debugger").waitFor({ state: "hidden" });
  });

  test("an exception marks its line in the program as it is written", async () => {
    await app.connect();
    await app.write("def half(n):\n    m = n\n    return m / 0\n\nhalf(3)\n");
    await clickLine(app, 2);
    await debug(app);
    await stoppedAt(app, "    m = n");
    await app.button("Continue").click();
    await app.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    assert.equal(await app.page.locator(".failed-line").innerText(), "    return m / 0");
    await app.waitForState("ready");
  });

  test("a program that is not valid Python is refused with its line, and the board is free", async () => {
    await app.connect();
    await app.write("print('fine')\nfor broken in\n");
    await debug(app);
    await app.page.locator("#toast").getByText("line 2").waitFor();
    await app.waitForState("ready");
    await app.waitForLastRow(">>>");
    await app.button("Stop").waitFor({ state: "hidden" });
    await app.run("print('goes', 'on')");
    await app.waitForText("goes on");
  });

  test("a program that is nested too deeply for the page is refused in a sentence, and the next one is debugged", async () => {
    await app.connect();
    await app.write(`x = ${"-".repeat(20_000)}1\n`);
    await debug(app);
    await app.page.locator("#toast").getByText("The program is nested too deeply for this page.").waitFor();
    await app.waitForState("ready");
    await app.waitForLastRow(">>>");
    await app.write("print('shallow')\nx = 1\n");
    await clickLine(app, 2);
    await debug(app);
    await stoppedAt(app, "x = 1");
    await app.waitForText("shallow");
  });

  test("watches, lists that open, and values under the pointer", async () => {
    await app.connect();
    await app.write("things = {'a': [1, 2], 'b': 'text'}\nnumbers = list(range(120))\nprint(len(things))\n");
    await clickLine(app, 3);
    await debug(app);
    await stoppedAt(app, "print(len(things))");
    const panel = app.page.locator("#debugger");
    await panel.locator("summary", { hasText: "numbers" }).click();
    await panel.locator(".values .values li", { hasText: /^4949\D*$/ }).waitFor();
    await panel.getByRole("button", { name: "More" }).click();
    await panel.locator(".values .values li", { hasText: /^9999\D*$/ }).waitFor();
    await panel.getByLabel("Expression to watch").fill("len(numbers) * 2");
    await panel.getByLabel("Expression to watch").press("Enter");
    await panel.locator("[data-list=watches] .value", { hasText: "240" }).waitFor();
    await panel.getByLabel("Expression to watch").fill("nothing");
    await panel.getByLabel("Expression to watch").press("Enter");
    await panel.locator("[data-list=watches] .value", { hasText: "NameError" }).waitFor();
    await panel.getByRole("button", { name: "Do not watch nothing" }).click();
    await panel.locator("[data-list=watches] li").nth(1).waitFor({ state: "detached" });
    await pointAt(app, "things");
    await app.page.locator(".value-tooltip", { hasText: "things = {" }).waitFor();
    await app.shot("debug-hover");
    await app.button("Continue").click();
    await app.waitForText("finished after");
    await app.waitForState("ready");
  });

  test("variables and items are set to what an expression is worth", async () => {
    await app.connect();
    await app.write("def f(a):\n    b = [1, 2, 3]\n    print(a, b)\n\nf(5)\n");
    await clickLine(app, 3);
    await debug(app);
    await stoppedAt(app, "    print(a, b)");
    const panel = app.page.locator("#debugger");
    await panel.getByRole("button", { name: "Change a", exact: true }).click();
    const field = panel.getByLabel("New value of a");
    assert.equal(await field.inputValue(), "5");
    await field.fill("a +");
    await field.press("Enter");
    await panel.getByRole("alert").getByText("this is not valid Python").waitFor();
    await field.press("Escape");
    await panel.getByRole("button", { name: "Change a", exact: true }).click();
    await field.fill("a + len(b)");
    await field.press("Enter");
    await panel.locator("[data-list=locals] .value", { hasText: /^8$/ }).waitFor();
    await panel.locator("summary", { hasText: "b" }).first().click();
    await panel.getByRole("button", { name: "Change 1", exact: true }).click();
    await panel.getByLabel("New value of 1").fill("'two'");
    await panel.getByLabel("New value of 1").press("Enter");
    await panel.locator("[data-list=locals] .value", { hasText: "[1, 'two', 3]" }).waitFor();
    await glance(app, "debug-change");
    await app.button("Continue").click();
    await app.waitForText("8 [1, 'two', 3]");
    await app.waitForState("ready");
  });

  test("a breakpoint waits for a condition, for a time, or says something; and keeps that over a reload", async () => {
    await app.connect();
    await app.write("def f(n):\n    return n * 2\n\nfor i in range(10):\n    f(i)\nprint('all')\n");
    await clickLine(app, 2, { button: "right" });
    await answer(app, { "Stop only where this is true": "n % 4 == 3" });
    await told(app, "Breakpoint in line 2, under a condition or with a message");
    assert.equal(await app.page.locator("#editor .conditional").innerText(), "2");
    await app.open();
    await app.page.locator("#editor .conditional").waitFor();
    await app.connect();
    await debug(app);
    await stoppedAt(app, "    return n * 2");
    await waitForVariable(app, "n", "3");
    await clickLine(app, 2, { button: "right" });
    const dialog = app.page.getByRole("dialog", { name: "Breakpoint in line 2" });
    assert.equal(await dialog.getByLabel("Stop only where this is true").inputValue(), "n % 4 == 3");
    await glance(app, "debug-breakpoint");
    await answer(app, { "Stop only where this is true": "", "Stop only at these times": ">=2" });
    await app.button("Continue").click();
    await app.page.waitForFunction(() => document.querySelector("[data-list=locals]").innerText.includes("5"));
    await app.page.locator("#editor .cm-content").click();
    await clickLine(app, 2, { button: "right" });
    await answer(app, { "Stop only at these times": "", "Say this instead of stopping": "n is {n}" });
    await app.button("Continue").click();
    await app.waitForText("line 2: n is 9");
    await app.waitForText("all");
    await app.waitForState("ready");
  });

  test("Shift+F9 asks for the condition of the cursor's line, and Escape changes nothing", async () => {
    await app.write(PROGRAM);
    const { keyboard } = app.page;
    await app.page.locator("#editor .cm-content").click();
    await keyboard.press("Control+Home");
    await keyboard.press("Shift+F9");
    await app.page.getByRole("dialog", { name: "Breakpoint in line 1" }).waitFor();
    await keyboard.press("Escape");
    await app.page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual(await breakpoints(app), []);
    assert.equal(await app.focused(), "editor");
  });

  test("exceptions stop the program where they are raised, with the frame alive", async () => {
    await app.connect();
    await app.write("def half(n):\n    return n / 0\n\ndef careful():\n    try:\n        half(1)\n    except ZeroDivisionError:\n        pass\n\ncareful()\nhalf(2)\n");
    await debug(app);
    await stoppedAt(app, "def half(n):");
    await app.page.getByLabel("All that are raised").check();
    await glance(app, "debug-exceptions");
    await app.button("Continue").click();
    await stoppedAt(app, "    return n / 0");
    await waitForVariable(app, "n", "1"); // What is chosen while the program waits holds at once.
    await app.page.locator(".debug-where", { hasText: "ZeroDivisionError" }).waitFor();
    await app.page.getByLabel("All that are raised").uncheck();
    await app.page.getByLabel("Those that nothing catches").check();
    await app.button("Stop").click();
    await app.waitForState("ready");
    await app.open();
    await app.connect();
    await debug(app);
    await stoppedAt(app, "    return n / 0");
    await waitForVariable(app, "n", "2"); // What to stop at is remembered, and the caught one is passed over.
    await app.button("Continue").click();
    await app.page.getByRole("alert").getByText("ZeroDivisionError").waitFor();
    await app.waitForState("ready");
  });

  test("an expression is followed part by part, with the newest value marked, by F7 and by the button", async () => {
    await app.connect();
    await app.write("def price(net, tax):\n    total = net * (1 + tax)\n    return total\n\nprint(price(10, 0.5))\n");
    await clickLine(app, 2);
    const { keyboard } = app.page;
    await app.page.locator("#editor .cm-content").click();
    await keyboard.press("F7");
    await stoppedAt(app, "    total = net * (1 + tax)");
    const parts = app.page.getByRole("group", { name: "What the line has become" });
    assert.ok(!(await parts.isVisible()), "nothing has a value yet");
    await keyboard.press("F7");
    await told(app, "net is 10");
    await keyboard.press("F7");
    await told(app, "tax is 0.5");
    assert.equal(await parts.locator("pre").innerText(), "total = 10 * (1 + 0.5)");
    assert.equal(await parts.locator("mark").innerText(), "0.5");
    await app.button("Part").click();
    await told(app, "1 + tax is 1.5");
    assert.equal(await parts.locator("pre").innerText(), "total = 10 * (1.5)");
    assert.deepEqual(await parts.locator("li").allInnerTexts(), ["net is 10", "tax is 0.5", "1 + 0.5 is 1.5"]);
    assert.equal(await parts.locator("[aria-current=step]").innerText(), "1 + 0.5 is 1.5");
    await glance(app, "debug-parts");
    await keyboard.press("F7");
    await told(app, "net * (1 + tax) is 15.0");
    assert.equal(await parts.locator("mark").innerText(), "15.0");
    await keyboard.press("F7");
    await stoppedAt(app, "    return total");
    await parts.waitFor({ state: "hidden" });
    await app.button("Continue").click();
    await app.waitForText("15.0");
    await app.waitForState("ready");
  });

  test("parts come with the next start after F7 in a program without them, and that is remembered", async () => {
    await app.connect();
    await app.write("n = 2\nprint('<b>' * n)\n");
    await clickLine(app, 2);
    await debug(app);
    await stoppedAt(app, "print('<b>' * n)");
    assert.ok(!(await app.button("Part").isVisible()), "the program has no hooks for it");
    await app.page.keyboard.press("F7");
    await app.page.locator("#toast").getByText("from the next start on").waitFor();
    assert.ok(await app.page.getByLabel("Part by part").isChecked());
    await app.button("Continue").click();
    await app.waitForState("ready");
    await app.open();
    await app.connect();
    await debug(app);
    await stoppedAt(app, "print('<b>' * n)");
    await app.button("Part").click();
    await told(app, "n is 2");
    await app.button("Part").click();
    await told(app, "'<b>' * n is '<b><b>'");
    assert.equal(await app.page.locator(".debug-parts pre").innerText(), "print('<b><b>')", "a value is text, and no markup");
    await app.button("Continue").click();
    await app.waitForState("ready");
  });

  test("a disconnected board ends the debugging", async () => {
    await app.connect();
    await app.write(PROGRAM);
    await debug(app);
    await stoppedAt(app, "def mean(values):");
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.page.locator("#debugger").waitFor({ state: "hidden" });
    await app.connect();
  });
});

test("a real MicroPython over Web Serial is debugged, and is at its prompt after it", async (t) => {
  const board = await startBoard();
  t.after(() => board.stop());
  const browser = await startBrowser({ serial: board.path });
  t.after(() => browser.close());
  const app = await browser.page();
  await app.button("Raspberry Pi Pico 2e8a:0005").click();
  await app.waitForState("ready");
  await app.write(PROGRAM);
  await clickLine(app, 2);
  await debug(app);
  await exercise(app);
  await app.run("print('goes', 'on')");
  await app.waitForText("goes on");
  await app.close();
});

test("where the page is not isolated, the debugger says why it cannot stop the board in it", async (t) => {
  const plain = await servePlainly();
  t.after(() => plain.close());
  const browser = await startBrowser();
  t.after(() => browser.close());
  // A service worker would give the page the headers that this server does not send.
  const app = await browser.page({ without: "serviceWorker" });
  app.url = plain.url;
  await app.open();
  await app.connect();
  await app.write(PROGRAM);
  await debug(app);
  await app.page.locator("#toast").getByText("cross-origin isolated").waitFor();
  await app.waitForState("ready");
  await app.run("print('goes', 'on')");
  await app.waitForText("goes on");
  app.forgive(/^request to/);
  await app.close();
});

/** A stop at line 2 of {@link PROGRAM}, to its end. */
async function exercise(app) {
  await stoppedAt(app, "    total = 0");
  await waitForVariable(app, "values", "[1, 2, 6]");
  const frames = await app.page.locator(".stack button").allInnerTexts();
  assert.deepEqual(frames, ["mean, line 2", "<module>, line 8"]);
  await app.shot("debug-stopped");
  await app.button("Over").click();
  await stoppedAt(app, "    for value in values:");
  await waitForVariable(app, "total", "0");
  await app.page.locator(".stack button").nth(1).click();
  await stoppedAt(app, 'print("the mean is", mean([1, 2, 6]))');
  await app.button("Out").click();
  await stoppedAt(app, 'print("that was all")');
  await app.button("Continue").click();
  await app.waitForText("that was all");
  await app.waitForText("finished after");
  await app.waitForState("ready");
  await app.waitForLastRow(">>>");
  const screen = await app.screen();
  assert.ok(screen.some((row) => /^the mean is 3/.test(row)), screen.join("\n"));
  const debugging = screen.slice(screen.findIndex((row) => row.includes("── debug ──")));
  assert.equal(debugging.filter((row) => row !== "").length, 5, `nothing of the debugger's is printed: ${debugging.join("\n")}`);
  await app.page.locator(".stopped-line").waitFor({ state: "detached" });
}

async function debug(app) {
  await app.page.locator("#debug").click();
}

async function clickLine(app, line, options) {
  await app.page.locator("#editor .cm-lineNumbers .cm-gutterElement").filter({ hasText: new RegExp(`^${line}$`) }).filter({ visible: true }).click(options);
}

/** Fills in the page's dialog, by the labels of its fields, and agrees. */
async function answer(app, fields) {
  const dialog = app.page.getByRole("dialog");
  for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).fill(text);
  await dialog.getByRole("button", { name: "Set" }).click();
  await dialog.waitFor({ state: "detached" });
}

async function breakpoints(app) {
  return app.page.locator("#editor .cm-lineNumbers .breakpoint").allInnerTexts();
}

async function stoppedAt(app, text) {
  await app.page.waitForFunction((wanted) => document.querySelector(".stopped-line")?.textContent === wanted, text);
  await app.page.locator("[data-program=stopped]").waitFor();
}

/** Moves the pointer to a word of the line at which the program waits. */
async function pointAt(app, word) {
  const [x, y] = await app.page.evaluate((wanted) => {
    const texts = document.createTreeWalker(document.querySelector(".stopped-line"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const at = texts.currentNode.textContent.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(texts.currentNode, at);
      range.setEnd(texts.currentNode, at + wanted.length);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      return [(left + right) / 2, (top + bottom) / 2];
    }
    throw new Error(`there is no ${wanted}`);
  }, word);
  await app.page.mouse.move(x, y + 100);
  await app.page.mouse.move(x, y, { steps: 3 });
}

async function told(app, text) {
  await app.page.waitForFunction((wanted) => document.querySelector("#announcer").textContent === wanted, text);
}

/** Waits until the panel shows a variable with this value: values come a moment after the line. */
async function waitForVariable(app, name, value) {
  const item = app.page.locator("[data-list=locals] > li").filter({ has: app.page.locator(`.name:text-is("${name}")`) });
  await item.locator(`.value:text-is(${JSON.stringify(value)})`).first().waitFor();
}

/** The page from a server that does not isolate it. */
async function servePlainly() {
  const root = fileURLToPath(new URL("../../web/dist", import.meta.url));
  const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml" };
  const server = createServer(async ({ url }, response) => {
    const path = root + (url === "/" ? "/index.html" : decodeURIComponent(new URL(url, "http://localhost").pathname));
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
