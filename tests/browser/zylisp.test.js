/** The Zylisp REPL: in the page, and on a real server behind a WebSocket. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./bench.js";
import { PROGRAM } from "./server.js";

describe("the Zylisp REPL", () => {
  let browser, bench;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    bench = await browser.page();
    await bench.page.locator("#tool-zylisp").click();
    await bench.page.getByLabel("Code to evaluate").waitFor();
  });
  afterEach(() => bench.close());

  test("evaluates in the page, keeps definitions, shows output, errors and several lines", async () => {
    await evaluate(bench, "(define square (lambda (n) (* n n)))");
    await evaluate(bench, "(square 12)");
    await answered(bench, "144");
    await evaluate(bench, '(println "hello") (+ 1 2)');
    await bench.page.locator(".transcript .output", { hasText: "hello" }).waitFor();
    await answered(bench, "3");
    await evaluate(bench, "(undefined-name)");
    await bench.page.locator(".transcript .failed").waitFor();
    const code = bench.page.getByLabel("Code to evaluate");
    await code.fill("(+ 40");
    await code.press("Enter");
    await bench.page.keyboard.type("2)");
    await code.press("Enter");
    await answered(bench, "42");
    assert.equal(await bench.page.locator(".transcript .asked").last().innerText(), "(+ 40\n2)", "Enter goes on with what is unfinished");
    await code.fill("(+ 40 3)");
    await code.press("Shift+Enter");
    assert.equal(await typed(bench), "(+ 40 3)\n");
    await code.press("Enter");
    await answered(bench, "43");
    await code.fill("(+ 40");
    await bench.button("Evaluate").click();
    await bench.page.locator(".transcript .failed", { hasText: "unclosed list" }).waitFor();
  });

  test("an error marks its place in what was typed, and shows the calls that led there", async () => {
    const { page } = bench;
    await evaluate(bench, "(define half (lambda (n) (/ n 0)))");
    await page.locator(".transcript .value").waitFor();
    await evaluate(bench, '(println "é") (+ 1 (half 3))');
    await page.locator(".transcript .failed", { hasText: "arithmetic-error: division by zero" }).waitFor();
    const marks = page.locator(".transcript .asked mark");
    assert.deepEqual(await marks.allTextContents(), ["(/ n 0)", "(half 3)"]);
    assert.deepEqual(await page.locator(".transcript .trace li").allTextContents(), ["in half, line 1, column 26", "line 1, column 21"]);
    await bench.button("in half, line 1, column 26").click();
    await marks.first().waitFor();
    await evaluate(bench, "(+ 1 2))");
    await page.locator(".transcript .failed", { hasText: "syntax-error" }).waitFor();
    assert.equal(await marks.last().textContent(), ")");
    assert.equal(await page.locator(".transcript .asked").last().textContent(), "(+ 1 2))", "the mark leaves the text as it was");
  });

  test("Tab completes from the server, and what is called is shown with what it does", async () => {
    const { page } = bench;
    await evaluate(bench, "(define quadruple (lambda (number) (* 4 number)))");
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
    assert.match(await typed(bench), /^\((null|number)\?$/, "Enter takes what is chosen");
    await code.fill("");
    await code.press("Tab");
    assert.ok(await page.evaluate(() => !document.querySelector("#zylisp .cm-editor").contains(document.activeElement)), "without a name, Tab leaves");
  });

  test("brackets are matched, outside of strings, and the last values and the last error have names", async () => {
    const { page } = bench;
    const code = page.getByLabel("Code to evaluate");
    await code.click();
    await page.keyboard.type('(list ")" 1)');
    const matched = page.locator("#zylisp .cm-matchingBracket");
    await matched.first().waitFor();
    assert.deepEqual(await matched.allTextContents(), ["(", ")"]);
    await code.press("Enter");
    await answered(bench, '\\("\\)" 1\\)');
    await evaluate(bench, "(+ 40 2)");
    await answered(bench, "42");
    await evaluate(bench, "(car *2)");
    await answered(bench, '"\\)"');
    await evaluate(bench, "(car 5)");
    await page.locator(".transcript .failed").waitFor();
    await evaluate(bench, "(list *1 *e)");
    await answered(bench, '\\("\\)" .*type-error.*\\)');
  });

  test("a long value comes page by page", async () => {
    const { page } = bench;
    await evaluate(bench, "(define build (lambda (n l) (if (= n 0) l (build (- n 1) (cons n l))))) (build 20000 (list))");
    await bench.button("Show more of it").click();
    const whole = `(${Array.from({ length: 20_000 }, (_, at) => at + 1).join(" ")})`;
    await page.waitForFunction((length) => document.querySelector(".transcript .value").textContent.length === length, whole.length);
    assert.equal(await page.locator(".transcript .value").textContent(), whole);
    assert.equal(await bench.button("Show more of it").count(), 0);
  });

  for (const width of [360, 1400]) {
    test(`everything fits at ${width} pixels`, async () => {
      const { page } = bench;
      await page.setViewportSize({ width, height: 800 });
      await evaluate(bench, "(define half (lambda (n) (/ n 0)))");
      await evaluate(bench, "(list 1 2 (half 3))");
      await page.locator(".transcript .trace").waitFor();
      const code = page.getByLabel("Code to evaluate");
      await code.click();
      await page.keyboard.type("(cons (nu");
      await code.press("Tab");
      await page.locator("#zylisp .cm-completionInfo").waitFor();
      await bench.shot(`zylisp-${width}`);
      const edges = await page.locator("#zylisp :is(.head > *, .transcript, .prompt > *, .cm-tooltip)").evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
      assert.ok(Math.max(...edges) <= width, `${edges}`);
    });
  }

  test("a loop without end leaves the page awake, and Stop ends it", async () => {
    await evaluate(bench, "(define forever (lambda () (forever))) (forever)");
    await bench.page.locator("#zylisp [data-do=stop][aria-disabled=false]").waitFor();
    assert.equal(await bench.page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve("awake")))), "awake");
    await bench.page.locator("#zylisp [data-do=stop]").click();
    await bench.page.locator(".transcript .failed", { hasText: "stopped" }).waitFor();
    await evaluate(bench, "(+ 1 1)");
    await answered(bench, "2");
  });

  test("what was typed before comes back with the arrows, also after a reload", async () => {
    await evaluate(bench, "(+ 1 10)");
    await answered(bench, "11");
    await evaluate(bench, "(+ 2 20)");
    await answered(bench, "22");
    await bench.page.reload();
    const code = bench.page.getByLabel("Code to evaluate");
    await code.fill("half a");
    await code.press("ArrowUp");
    await code.press("ArrowUp");
    assert.equal(await typed(bench), "(+ 1 10)");
    await code.press("ArrowDown");
    await code.press("ArrowDown");
    assert.equal(await typed(bench), "half a");
  });

  test("evaluates on a server, streams, stops, and says when the server is gone", async () => {
    const server = await startServer(bench.url);
    await bench.page.getByLabel("Where it is evaluated").selectOption("On the network");
    await bench.page.locator("#zylisp [name=address]").fill(server.address);
    await bench.page.locator("#zylisp").getByRole("button", { name: "Connect" }).click();
    await bench.page.getByText("Connected to").waitFor();
    await evaluate(bench, '(println "from afar") (* 6 7)');
    await bench.page.locator(".transcript .output", { hasText: "from afar" }).waitFor();
    await answered(bench, "42");
    await evaluate(bench, "(define forever (lambda () (forever))) (forever)");
    await bench.page.locator("#zylisp [data-do=stop][aria-disabled=false]").waitFor();
    await bench.page.keyboard.press("Control+.");
    await bench.page.locator(".transcript .failed", { hasText: "stopped" }).waitFor();
    await server.stop();
    await bench.page.locator("#zylisp .fault").waitFor();
  });
});

async function evaluate(bench, code) {
  const field = bench.page.getByLabel("Code to evaluate");
  await bench.page.locator("#zylisp [data-do=stop][aria-disabled=true]").waitFor();
  await field.fill(code);
  await field.press("Enter");
}

/** What stands in the editor. */
function typed(bench) {
  return bench.page.locator("#zylisp .cm-content").evaluate((content) => [...content.querySelectorAll(".cm-line")].map((line) => (line.querySelector(".cm-placeholder") ? "" : line.textContent)).join("\n"));
}

function answered(bench, text) {
  return bench.page.locator(".transcript .value").last().filter({ hasText: new RegExp(`^${text}$`) }).waitFor();
}

/** `flylead zylisp serve` on a WebSocket that this page may use. */
async function startServer(page) {
  const server = spawn(PROGRAM, ["zylisp", "serve", "ws://127.0.0.1:0", "--origin", new URL(page).origin], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = [server.stdout, server.stderr].map((input) => createInterface({ input }));
  const address = await new Promise((resolve) => lines.forEach((one) => one.on("line", (line) => resolve(/wss?:\/\/[^\s"]+/.exec(line)?.[0]))));
  const ended = new Promise((resolve) => server.once("exit", resolve));
  return { address, stop: () => (server.kill("SIGINT"), ended) };
}
