/** The Zylisp REPL: in the page, and on a real server behind a WebSocket. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard } from "./board.js";
import { PROGRAM } from "./server.js";

describe("the Zylisp REPL", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.page.locator("#tool-zylisp").click();
    await app.page.getByLabel("Code to evaluate").waitFor();
  });
  afterEach(() => app.close());

  test("evaluates in the page, keeps definitions, shows output, errors and several lines", async () => {
    await evaluate(app, "(define square (lambda (n) (* n n)))");
    await evaluate(app, "(square 12)");
    await answered(app, "144");
    await evaluate(app, '(println "hello") (+ 1 2)');
    await app.page.locator(".transcript .output", { hasText: "hello" }).waitFor();
    await answered(app, "3");
    await evaluate(app, "(undefined-name)");
    await app.page.locator(".transcript .failed").waitFor();
    const code = app.page.getByLabel("Code to evaluate");
    await code.fill("(+ 40");
    await code.press("Enter");
    await app.page.keyboard.type("2)");
    await code.press("Enter");
    await answered(app, "42");
    assert.equal(await app.page.locator(".transcript .asked").last().innerText(), "(+ 40\n2)", "Enter goes on with what is unfinished");
    await code.fill("(+ 40 3)");
    await code.press("Shift+Enter");
    assert.equal(await typed(app), "(+ 40 3)\n");
    await code.press("Enter");
    await answered(app, "43");
    await code.fill("(+ 40");
    await app.button("Evaluate").click();
    await app.page.locator(".transcript .failed", { hasText: "unclosed list" }).waitFor();
  });

  test("an error marks its place in what was typed, and shows the calls that led there", async () => {
    const { page } = app;
    await evaluate(app, "(define half (lambda (n) (/ n 0)))");
    await page.locator(".transcript .value").waitFor();
    await evaluate(app, '(println "é") (+ 1 (half 3))');
    await page.locator(".transcript .failed", { hasText: "arithmetic-error: division by zero" }).waitFor();
    const marks = page.locator(".transcript .asked mark");
    assert.deepEqual(await marks.allTextContents(), ["(/ n 0)", "(half 3)"]);
    assert.deepEqual(await page.locator(".transcript .trace li").allTextContents(), ["in half, line 1, column 26", "line 1, column 21"]);
    await app.button("in half, line 1, column 26").click();
    await marks.first().waitFor();
    await evaluate(app, "(+ 1 2))");
    await page.locator(".transcript .failed", { hasText: "syntax-error" }).waitFor();
    assert.equal(await marks.last().textContent(), ")");
    assert.equal(await page.locator(".transcript .asked").last().textContent(), "(+ 1 2))", "the mark leaves the text as it was");
  });

  test("Tab completes from the server, and what is called is shown with what it does", async () => {
    const { page } = app;
    await evaluate(app, "(define quadruple (lambda (number) (* 4 number)))");
    await page.locator(".transcript .value").waitFor();
    const code = page.getByLabel("Code to evaluate");
    await code.click();
    await page.keyboard.type("(quad");
    await code.press("Tab");
    await page.waitForFunction(() => document.querySelector("#zylisp .cm-content").innerText === "(quadruple");
    await page.locator("#zylisp .signature", { hasText: "(quadruple number)" }).waitFor();
    await page.keyboard.type(" (car ");
    await page.locator("#zylisp .signature", { hasText: "(car LIST) The first element." }).waitFor();
    await page.keyboard.type('(list 10) ");;((")');
    await page.keyboard.press("Backspace");
    await page.locator("#zylisp .signature", { hasText: "(car LIST)" }).waitFor();
    await code.fill("(nu");
    await code.press("Tab");
    await page.locator("#zylisp .cm-tooltip-autocomplete li", { hasText: "number?" }).waitFor();
    await page.locator("#zylisp .cm-completionInfo", { hasText: /^\((null|number)\? VALUE\) Whether it is/ }).waitFor();
    await code.press("Enter");
    assert.match(await typed(app), /^\((null|number)\?$/, "Enter takes what is chosen");
    await code.fill("");
    await code.press("Tab");
    assert.ok(await page.evaluate(() => !document.querySelector("#zylisp .cm-editor").contains(document.activeElement)), "without a name, Tab leaves");
  });

  test("brackets are matched, outside of strings, and the last values and the last error have names", async () => {
    const { page } = app;
    const code = page.getByLabel("Code to evaluate");
    await code.click();
    await page.keyboard.type('(list ")" 1)');
    const matched = page.locator("#zylisp .cm-matchingBracket");
    await matched.first().waitFor();
    assert.deepEqual(await matched.allTextContents(), ["(", ")"]);
    await code.press("Enter");
    await answered(app, '\\("\\)" 1\\)');
    await evaluate(app, "(+ 40 2)");
    await answered(app, "42");
    await evaluate(app, "(car *2)");
    await answered(app, '"\\)"');
    await evaluate(app, "(car 5)");
    await page.locator(".transcript .failed").waitFor();
    await evaluate(app, "(list *1 *e)");
    await answered(app, '\\("\\)" .*type-error.*\\)');
  });

  test("a long value comes page by page", async () => {
    const { page } = app;
    await evaluate(app, "(define build (lambda (n l) (if (= n 0) l (build (- n 1) (cons n l))))) (build 20000 (list))");
    await app.button("Show more of it").click();
    const whole = `(${Array.from({ length: 20_000 }, (_, at) => at + 1).join(" ")})`;
    await page.waitForFunction((length) => document.querySelector(".transcript .value").textContent.length === length, whole.length);
    assert.equal(await page.locator(".transcript .value").textContent(), whole);
    assert.equal(await app.button("Show more of it").count(), 0);
  });

  for (const width of [360, 1400]) {
    test(`everything fits at ${width} pixels`, async () => {
      const { page } = app;
      await page.setViewportSize({ width, height: 800 });
      await evaluate(app, "(define half (lambda (n) (/ n 0)))");
      await evaluate(app, "(list 1 2 (half 3))");
      await page.locator(".transcript .trace").waitFor();
      const code = page.getByLabel("Code to evaluate");
      await code.click();
      await page.keyboard.type("(cons (nu");
      await code.press("Tab");
      await page.locator("#zylisp .cm-completionInfo").waitFor();
      await app.shot(`zylisp-${width}`);
      const edges = await page.locator("#zylisp :is(.head > *, .transcript, .prompt > *, .cm-tooltip)").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
      assert.ok(Math.max(...edges) <= width, `${edges}`);
    });
  }

  test("a loop without end leaves the page awake, and Stop ends it", async () => {
    await evaluate(app, "(define forever (lambda () (forever))) (forever)");
    await app.page.locator("#zylisp [data-do=stop][aria-disabled=false]").waitFor();
    assert.equal(await app.page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve("awake")))), "awake");
    await app.page.locator("#zylisp [data-do=stop]").click();
    await app.page.locator(".transcript .failed", { hasText: "stopped" }).waitFor();
    await evaluate(app, "(+ 1 1)");
    await answered(app, "2");
  });

  test("what was typed before comes back with the arrows, also after a reload", async () => {
    await evaluate(app, "(+ 1 10)");
    await answered(app, "11");
    await evaluate(app, "(+ 2 20)");
    await answered(app, "22");
    await app.page.reload();
    const code = app.page.getByLabel("Code to evaluate");
    await code.fill("half a");
    await code.press("ArrowUp");
    await code.press("ArrowUp");
    assert.equal(await typed(app), "(+ 1 10)");
    await code.press("ArrowDown");
    await code.press("ArrowDown");
    assert.equal(await typed(app), "half a");
  });

  test("evaluates on a server, streams, stops, and says when the server is gone", async () => {
    const server = await startServer(["zylisp", "serve", "--origin", new URL(app.url).origin]);
    await connect(app, server.address);
    await evaluate(app, '(println "from afar") (* 6 7)');
    await app.page.locator(".transcript .output", { hasText: "from afar" }).waitFor();
    await answered(app, "42");
    await evaluate(app, "(define forever (lambda () (forever))) (forever)");
    await app.page.locator("#zylisp [data-do=stop][aria-disabled=false]").waitFor();
    await app.page.keyboard.press("Control+.");
    await app.page.locator(".transcript .failed", { hasText: "stopped" }).waitFor();
    await server.stop();
    await app.page.locator("#zylisp .fault").waitFor();
  });

  test("evaluates a board's Python, whose None is shown as nothing", async () => {
    const board = await startBoard();
    const server = await startServer(["zylisp", "serve", "--eval", `board:${board.path}`, "--origin", new URL(app.url).origin]);
    await connect(app, server.address);
    await evaluate(app, "print('from the board')");
    await app.page.locator(".transcript .output", { hasText: "from the board" }).waitFor();
    await evaluate(app, "6 * 7");
    await answered(app, "42");
    assert.equal(await app.page.locator(".transcript .value").count(), 1);
    await server.stop();
    await board.stop();
  });
});

async function connect(app, address) {
  await app.page.getByLabel("Where it is evaluated").selectOption("On the network");
  await app.page.locator("#zylisp [name=address]").fill(address);
  await app.page.locator("#zylisp").getByRole("button", { name: "Connect" }).click();
  await app.page.getByText("Connected to").waitFor();
}

async function evaluate(app, code) {
  const field = app.page.getByLabel("Code to evaluate");
  await app.page.locator("#zylisp [data-do=stop][aria-disabled=true]").waitFor();
  await field.fill(code);
  await field.press("Enter");
}

/** Returns the text in the editor. */
function typed(app) {
  return app.page.locator("#zylisp .cm-content").evaluate((content) => [...content.querySelectorAll(".cm-line")].map((line) => (line.querySelector(".cm-placeholder") ? "" : line.textContent)).join("\n"));
}

function answered(app, text) {
  return app.page.locator(".transcript .value").last().filter({ hasText: new RegExp(`^${text}$`) }).waitFor();
}

/** Starts a server of the command on a WebSocket. */
async function startServer(words) {
  const server = spawn(PROGRAM, [...words, "ws://127.0.0.1:0"], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = [server.stdout, server.stderr].map((input) => createInterface({ input }));
  const found = (resolve) => (line) => {
    const address = /wss?:\/\/[^\s"]+/.exec(line);
    if (address) resolve(address[0]);
  };
  const address = await new Promise((resolve) => lines.forEach((one) => one.on("line", found(resolve))));
  const ended = new Promise((resolve) => server.once("exit", resolve));
  return { address, stop: () => (server.kill("SIGINT"), ended) };
}
