// The work of a browser board's worker: it receives the start, and then notices of input.

import { confine } from "./guest.js";
import { Interpreter } from "./interpreter.js";
import { Output } from "./output.js";
import { Inputs } from "./pins/inputs.js";
import { Shared } from "./shared.js";

let interpreter;
let keyboard;
let output;
let load;
// Kept, because the worker's own is removed before a program runs.
const send = self.postMessage.bind(self);
const [later, clear] = [globalThis.setTimeout.bind(globalThis), globalThis.clearTimeout.bind(globalThis)];
let alarm;
// One message after the other, even if a reset waits in between.
let turn = Promise.resolve();

/**
 * Starts listening. `loader` gets the address of MicroPython's module, if it has one, and returns its
 * `loadMicroPython`.
 */
export function serve(loader) {
  load = loader;
  self.onmessage = ({ data }) => {
    turn = turn.then(() => handlers[data.type](data)).catch(fail);
  };
}

const handlers = { start, typed: ({ bytes }) => type(bytes), files: takeFiles, input };

/** Takes a change of the drawn board's inputs while nothing runs. */
async function input({ input: done }) {
  await interpreter.attendAtPrompt(done);
  rest();
}

function takeFiles(changes) {
  interpreter.takeFiles(changes);
  rest();
}

async function start({ script, module, heapSize, files, buffer, mode, wasBooting, machine, inputs }) {
  const shared = buffer && new Shared(buffer);
  output = new Output(post, shared);
  keyboard = shared ?? new Typed();
  const loaded = await load(script);
  confine();
  post({ type: "ready" });
  interpreter = new Interpreter({ load: loaded, module, heapSize, files, output, keyboard, shared, post, machine, inputs: inputs && new Inputs(inputs) });
  await (mode === undefined ? interpreter.powerOn() : interpreter.resume(mode, wasBooting));
  rest();
}

async function type(bytes) {
  if (bytes) keyboard.type(bytes);
  for (let byte = keyboard.take(); byte >= 0; byte = keyboard.take()) {
    const reset = interpreter.feed(byte);
    // Awaiting nothing would cost more than the byte.
    if (reset) await reset;
  }
  rest();
}

function rest() {
  output.flush();
  interpreter.rest();
  post({ type: "idle" });
  attendLater();
}

/** Runs timers while nothing else runs. */
function attendLater() {
  clear(alarm);
  const millis = interpreter.untilDue();
  if (millis < Infinity) alarm = later(() => (turn = turn.then(attend).catch(fail)), millis);
}

async function attend() {
  if (interpreter.untilDue() > 0) return attendLater();
  post({ type: "busy" });
  await interpreter.attendAtPrompt();
  rest();
}

function fail(error) {
  output?.flush();
  post({ type: "failed", message: String(error?.message ?? error) });
}

function post(message, transfer) {
  send(message, { transfer });
}

/** Input where no memory is shared: only the data in the message. */
class Typed {
  #bytes = [];

  type(bytes) {
    // A spread would put each byte on the stack.
    for (const byte of bytes) this.#bytes.push(byte);
  }

  take() {
    return this.#bytes.shift() ?? -1;
  }

  get hasTyped() {
    return this.#bytes.length > 0;
  }
}
