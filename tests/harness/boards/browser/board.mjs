// The board that the page has, on the terminal of this process: `node board.mjs`, once the terminal is raw.
//
// It is the package's own board with its MicroPython. Node has no Web Workers, so its threads stand in for them.

import { readFile } from "node:fs/promises";
import { Worker as Thread } from "node:worker_threads";

const { openBrowserBoard } = await import("../../../../wasm/js/browser-board/link.js");

const PACKAGE = new URL("../../../../wasm/node_modules/@micropython/micropython-webassembly-pyscript/", import.meta.url);

/** As much of the browser's `Worker` as the package uses. */
class Worker {
  #thread;

  constructor(script) {
    this.#thread = new Thread(new URL("./worker.mjs", import.meta.url), { workerData: script.href });
    this.#thread.on("message", (data) => this.onmessage({ data }));
    this.#thread.on("error", (error) => this.onerror(error));
  }

  postMessage(message) {
    this.#thread.postMessage(message);
  }

  terminate() {
    this.#thread.terminate();
  }
}

// Node shares memory between threads, as a browser does for a page that is cross-origin isolated.
Object.assign(globalThis, { Worker, crossOriginIsolated: true });

const wasm = await readFile(new URL("micropython.wasm", PACKAGE));
const link = await openBrowserBoard({
  module: new URL("micropython.mjs", PACKAGE),
  wasm: `data:application/wasm;base64,${wasm.toString("base64")}`,
});

async function print() {
  for await (const bytes of link.readable) process.stdout.write(bytes);
}

async function type() {
  const keyboard = link.writable.getWriter();
  for await (const bytes of process.stdin) await keyboard.write(new Uint8Array(bytes));
}

await Promise.race([print(), type()]);
await link.close();
