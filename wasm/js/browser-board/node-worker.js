// Runs the worker of a board in a thread of Node.

import { parentPort, workerData } from "node:worker_threads";

const waiting = [];
const script = workerData;
// Kept here, because the worker removes its global names before a program runs.
const scope = {
  postMessage: (message, { transfer } = {}) => parentPort.postMessage(message, transfer),
};
parentPort.on("message", (data) => (scope.onmessage ? scope.onmessage({ data }) : waiting.push(data)));
globalThis.self = scope;

// Emscripten takes an environment with `process` for Node, and one with these for a worker.
globalThis.process = undefined;
globalThis.WorkerGlobalScope = Object;
globalThis.location = { href: script };

await import(script);
for (const data of waiting.splice(0)) scope.onmessage({ data });
