// A program on the browser's board is a guest of the page: it reaches nothing of it, in Chromium and in Firefox.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";
import { attempt, GUESTS } from "./guests.js";

const AWAY = ["caches", "indexedDB", "fetch", "WebSocket", "WebTransport", "navigator", "importScripts", "XMLHttpRequest", "EventSource", "BroadcastChannel", "SharedWorker", "Worker", "MessageChannel", "Function", "eval", "postMessage", "close", "location", "self", "setTimeout", "URL", "Blob", "addEventListener"];

for (const browser of ["chromium", "firefox"]) {
  test(`in ${browser} none of ${GUESTS.length} programs gets out of the board, which goes on working`, async (t) => {
    const page = await openPage(t, "isolated", browser);
    const seen = await page.evaluate(async (program) => {
      await (await caches.open("canary")).put("/isolated/canary", new Response("ours"));
      const link = await flylead.openBrowserBoard(options);
      const board = flylead.Board.attach(link);
      const { stdout } = await board.exec(program);
      const { stdout: after } = await board.exec("import asyncio\nasync def nothing(): await asyncio.sleep(0)\nasyncio.run(nothing())\nprint(6 * 7)");
      const canary = await (await caches.match("/isolated/canary")).text();
      return { stdout, after, canary, names: await caches.keys(), restarts: link.restarts };
    }, attempt());
    const lines = seen.stdout.trim().split("\n");
    assert.deepEqual(lines.filter((line) => line.startsWith("OUT")), []);
    assert.deepEqual([lines.length, lines.at(-1)], [GUESTS.length + 1, "all"]);
    assert.deepEqual([seen.after, seen.canary, seen.names, seen.restarts], ["42\n", "ours", ["canary"], 0]);
  });

  test(`in ${browser} the board's worker has nothing left that leads to the page, its storage or the network`, async (t) => {
    const page = await openPage(t, "isolated", browser);
    const { found, made, names } = await page.evaluate(async (away) => {
      const worker = new Worker("tests/confined.js", { type: "module" });
      const answer = new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => reject(new Error(event.message));
      });
      worker.postMessage(away);
      return answer;
    }, AWAY);
    // Emscripten looks for this one, and it refuses.
    assert.deepEqual(Object.entries(found).filter(([name, kind]) => kind !== "undefined" && name !== "fetch"), []);
    for (const kind of made) assert.notEqual(kind, "number");
    assert.ok(names.length < 90, `${names.length} names: ${names.join(" ")}`);
  });
}
