// A program on the browser's board is a guest of the page: it reaches nothing of it, in Chromium and in Firefox.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BOOT_HASH } from "../js/browser-board/boot.js";
import { openPage } from "./browser.js";
import { attempt, GUESTS } from "./guests.js";

const AWAY = ["caches", "indexedDB", "fetch", "WebSocket", "WebTransport", "navigator", "importScripts", "XMLHttpRequest", "EventSource", "BroadcastChannel", "SharedWorker", "Worker", "MessageChannel", "Function", "eval", "postMessage", "close", "location", "self", "setTimeout", "URL", "Blob", "addEventListener"];

/** Policies of a page, by what they forbid to the board's frame. */
const POLICIES = {
  script: "script-src 'self' 'wasm-unsafe-eval'",
  worker: `script-src 'self' 'wasm-unsafe-eval' '${BOOT_HASH}'; worker-src 'self'`,
};

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
      return { framed: link.framed, stdout, after, canary, names: await caches.keys(), restarts: link.restarts };
    }, attempt());
    const lines = seen.stdout.trim().split("\n");
    assert.deepEqual(lines.filter((line) => line.startsWith("OUT")), []);
    assert.deepEqual([lines.length, lines.at(-1)], [GUESTS.length + 1, "all"]);
    assert.deepEqual([seen.framed, seen.after, seen.canary, seen.names, seen.restarts], [true, "42\n", "ours", ["canary"], 0]);
  });

  for (const kind of ["isolated", "plain"]) {
    test(`in ${browser} the frame by itself keeps a script in it from the page, from storage, the network and serial ports, on ${kind} pages`, async (t) => {
      const seen = await tried(t, kind, browser);
      assert.deepEqual(Object.entries(seen.found).filter(([, answer]) => answer === "OUT"), []);
      assert.ok(Object.values(seen.out).filter((answer) => answer === "OUT").length >= 12, JSON.stringify(seen.out));
      assert.equal(seen.found["memory with a worker of its own"], kind === "isolated" ? "shared" : "in");
      assert.ok(Object.keys(seen.found).length >= 20, JSON.stringify(seen.found));
      assert.deepEqual([seen.shared, seen.frames], [kind === "isolated" && "none came", 0]);
    });
  }

  for (const [what, content] of Object.entries(POLICIES)) {
    test(`in ${browser} a board is behind the worker's walls where a page's policy allows no ${what}`, async (t) => {
      const page = await openPage(t, "isolated", browser);
      const seen = await page.evaluate(async (content) => {
        document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "Content-Security-Policy", content }));
        const link = await flylead.openBrowserBoard(options);
        const board = flylead.Board.attach(link);
        const { stdout } = await board.exec("import js\nprint(getattr(js, 'fetch', None))");
        return { framed: link.framed, stdout, frames: document.querySelectorAll("iframe").length };
      }, content);
      assert.deepEqual(seen, { framed: false, stdout: "None\n", frames: 0 });
    });
  }

  test(`in ${browser} a board whose frame comes late keeps its walls`, async (t) => {
    const page = await openPage(t, "isolated", browser);
    const seen = await page.evaluate(async () => {
      // The frame's document begins eight seconds after it was asked for: longer than its first script may be silent.
      const append = document.body.append.bind(document.body);
      document.body.append = (frame) => void setTimeout(append, 8000, frame);
      const link = await flylead.openBrowserBoard(options);
      document.body.append = append;
      const { stdout } = await flylead.Board.attach(link).exec("print(42)");
      return { framed: link.framed, stdout };
    });
    assert.deepEqual(seen, { framed: true, stdout: "42\n" });
  });

  test(`in ${browser} a frame whose worker falls silent before its board is open is replaced`, async (t) => {
    const page = await openPage(t, "isolated", browser);
    const seen = await page.evaluate(async () => {
      // As from a worker that waits for good, nothing comes from the first board.
      const { postMessage } = MessagePort.prototype;
      let silent;
      MessagePort.prototype.postMessage = function (message, ...rest) {
        if (message?.type === "open") silent ??= this;
        if (this !== silent) postMessage.call(this, message, ...rest);
      };
      const link = await flylead.openBrowserBoard(options);
      const { stdout } = await flylead.Board.attach(link).exec("print(42)");
      return { wasSilent: silent !== undefined, framed: link.framed, stdout, frames: document.querySelectorAll("iframe").length };
    });
    assert.deepEqual(seen, { wasSilent: true, framed: true, stdout: "42\n", frames: 1 });
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

/** Tries the ways out of a frame. On a busy machine Firefox sometimes loses a message of a worker: that is said, and tried again. */
async function tried(t, kind, browser) {
  for (let attempt = 1; ; attempt += 1) {
    const page = await openPage(t, kind, browser);
    try {
      return await page.evaluate(escapes);
    } catch (error) {
      if (attempt === 3 || !error.message.includes("no answer of ")) throw error;
      t.diagnostic(`attempt ${attempt}: ${error.message}`);
    }
  }
}

/** Runs in the page. */
async function escapes() {
  const within = (name, promise) =>
    Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error(`no answer of ${name}`)), 60_000))]);
  const { promise: kept, resolve } = Promise.withResolvers();
  new BroadcastChannel("canary").onmessage = ({ target }) => target.postMessage("here");
  indexedDB.open("canary").onsuccess = resolve;
  await within("IndexedDB", kept);
  const { openFrame } = await import("./js/browser-board/frame.js");
  const script = await (await fetch("./tests/escapes.js")).text();
  const { port, remove } = await openFrame(script);
  const answer = new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  port.postMessage({ origin: location.origin, page: location.href });
  const found = await within("the frame", answer);
  // Memory of the page's own can be shared with nobody who is elsewhere: it does not arrive.
  const stranger = globalThis.crossOriginIsolated && new Promise((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  if (stranger) port.postMessage(new SharedArrayBuffer(8));
  const shared = stranger && (await within("shared memory", stranger));
  remove();
  // A worker of the page itself, to see that these are ways out.
  const [beside, { port1, port2 }] = [new Worker("tests/escapes.js"), new MessageChannel()];
  beside.postMessage(null, [port2]);
  port1.postMessage({ origin: location.origin, page: location.href });
  const out = await within("the page's worker", new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data))));
  return { found, out, shared, frames: document.querySelectorAll("iframe").length };
}
