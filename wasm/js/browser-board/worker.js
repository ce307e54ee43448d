// The worker that a browser board lives in. It is told to start, and then that something was typed.

import { confine } from "./guest.js";
import { Interpreter } from "./interpreter.js";
import { Output } from "./output.js";
import { Shared } from "./shared.js";

let interpreter;
let keyboard;
let output;
// Kept, because the worker's own is taken away before a program runs.
const send = self.postMessage.bind(self);
// One message after the other, although a reset waits in the middle.
let turn = Promise.resolve();

self.onmessage = ({ data }) => {
  turn = turn.then(() => handlers[data.type](data)).catch(fail);
};

const handlers = { start, typed: ({ bytes }) => type(bytes), files: takeFiles };

function takeFiles(changes) {
  interpreter.takeFiles(changes);
  rest();
}

async function start({ script, module, heapSize, files, buffer, mode, wasBooting }) {
  const shared = buffer && new Shared(buffer);
  output = new Output(post, shared);
  keyboard = shared ?? new Typed();
  const { loadMicroPython: load } = await import(/* @vite-ignore */ script);
  confine();
  post({ type: "ready" });
  interpreter = new Interpreter({ load, module, heapSize, files, output, keyboard, shared, post });
  await (mode === undefined ? interpreter.powerOn() : interpreter.resume(mode, wasBooting));
  rest();
}

async function type(bytes) {
  if (bytes) keyboard.type(bytes);
  for (let byte = keyboard.take(); byte >= 0; byte = keyboard.take()) {
    const reset = interpreter.feed(byte);
    // To wait for nothing costs more than the byte.
    if (reset) await reset;
  }
  rest();
}

function rest() {
  output.flush();
  interpreter.saveFiles();
  post({ type: "idle" });
}

function fail(error) {
  output?.flush();
  post({ type: "failed", message: String(error?.message ?? error) });
}

function post(message, transfer) {
  send(message, { transfer });
}

/** What was typed, where no memory is shared: what came with the message is all there is. */
class Typed {
  #bytes = [];

  type(bytes) {
    this.#bytes.push(...bytes);
  }

  take() {
    return this.#bytes.shift() ?? -1;
  }

  get hasTyped() {
    return this.#bytes.length > 0;
  }
}
