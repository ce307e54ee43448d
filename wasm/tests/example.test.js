// The example application in Rust (`examples/page.rs`), in Chromium, with a real MicroPython behind a WebSocket.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openBrowser } from "./browser.js";
import { startBoard } from "./real-board.js";
import { serve } from "./server.js";

test("a page in Rust connects a board, runs a program and shows what it prints", async (t) => {
  const board = await startBoard();
  t.after(board.stop);
  const server = await serve();
  t.after(server.stop);
  const page = await openBrowser(t);
  await page.goto(`${server.origin}/plain/#${board.url}`);
  await page.evaluate(async () => (await import("./tests/example/page.js")).default());
  for (const times of [1, 2]) {
    await page.click("text=Connect and run");
    const ended = (times) => document.querySelector("pre").textContent.split("It reached its end.").length > times;
    await page.waitForFunction(ended, times);
  }
  const run = "0 on micropython\n1 on micropython\n4 on micropython\nIt reached its end.";
  assert.equal(await page.evaluate(() => document.querySelector("pre").textContent), run + run);
});

test("without an address the person is asked for a port, and may decline", async (t) => {
  const server = await serve();
  t.after(server.stop);
  const page = await openBrowser(t);
  await page.goto(`${server.origin}/plain/`);
  await page.evaluate(async () => {
    const requestPort = async () => Promise.reject(new DOMException("none", "NotFoundError"));
    Object.defineProperty(navigator, "serial", { value: Object.assign(new EventTarget(), { requestPort }) });
    await (await import("./tests/example/page.js")).default();
  });
  await page.click("text=Connect and run");
  await page.getByText("no port was chosen").waitFor();
});
