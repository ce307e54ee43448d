// Runs a script of a Web Worker in a thread of Node.

import { parentPort, workerData } from "node:worker_threads";

const waiting = [];
const script = workerData;
parentPort.on("message", (data) => (self.onmessage ? self.onmessage({ data }) : waiting.push(data)));
globalThis.self = {
  postMessage: (message, { transfer } = {}) => parentPort.postMessage(message, transfer),
};

// Emscripten takes a place with `process` for Node, and one with these for a worker.
globalThis.process = undefined;
globalThis.WorkerGlobalScope = Object;
globalThis.location = { href: script };

await import(script);
for (const data of waiting.splice(0)) self.onmessage({ data });
