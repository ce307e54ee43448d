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
    assert.equal(await code.inputValue(), "(+ 40 3)\n");
    await code.press("Enter");
    await answered(bench, "43");
    await code.fill("(+ 40");
    await bench.button("Evaluate").click();
    await bench.page.locator(".transcript .failed", { hasText: "unclosed list" }).waitFor();
  });

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
    assert.equal(await code.inputValue(), "(+ 1 10)");
    await code.press("ArrowDown");
    await code.press("ArrowDown");
    assert.equal(await code.inputValue(), "half a");
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
