// The board in Node, which has threads where a browser has Web Workers. Only Node loads this file.

import { readFile } from "node:fs/promises";
import { Worker as Thread } from "node:worker_threads";

const PACKAGE = "@micropython/micropython-webassembly-pyscript";

/** Addresses of MicroPython's module and of its WebAssembly, in the package beside ours. */
export const addresses = ["micropython.mjs", "micropython.wasm"].map((name) => import.meta.resolve(`${PACKAGE}/${name}`));

/** Implements `fetch`, also for files. */
export async function fetchFile(address) {
  const url = new URL(address);
  return url.protocol === "file:" ? new Response(await readFile(url)) : fetch(url);
}

/** The part of the browser's `Worker` that a board uses. */
class Worker {
  #thread;

  constructor(script) {
    // Options of this process, such as --input-type, do not apply to a script.
    const options = { workerData: script.href, execArgv: [] };
    this.#thread = new Thread(new URL("./node-worker.js", import.meta.url), options);
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

export const spawn = () => new Worker(new URL("./worker.js", import.meta.url));
