// A board in the page. It runs in a frame without an origin, isolated as far as browsers can; where there is no document
// for a frame, or the page's policy forbids it, it runs in a worker of this origin, protected only by the walls of `guest.js`.

import { named } from "../named.js";
import { WorkerBoard } from "./board.js";
import { classic } from "./classic.js";
import { openFramed } from "./frame.js";
import { patched } from "./patch.js";

const HEAP_SIZE = 8 * 1024 * 1024;
/** Machines that a board can imitate, from `pins/machines.js`, which is part of its worker. */
const MACHINES = ["pico", "esp32"];

export async function openBrowserBoard({ module, wasm, files = {}, heapSize = HEAP_SIZE, machine, onFiles, onInputAwaited, onPins, onRestarted } = {}) {
  if (machine !== undefined && !MACHINES.includes(machine)) throw new TypeError(`no machine is called ${machine}: there are ${MACHINES.join(" and ")}`);
  const place = await placeHere();
  const script = new URL(module ?? place.addresses[0], globalThis.location?.href);
  const bytes = await load(wasm ?? (module ? new URL("micropython.wasm", script) : place.addresses[1]), "wasm", place.fetchFile);
  const [kept, listeners] = [snapshot(files), { onFiles, onInputAwaited, onPins, onRestarted }];
  const framed = globalThis.document?.body && (await inFrame(script, { wasm: bytes, heapSize, machine }, kept, listeners));
  return framed || inWorker(place, script, { wasm: bytes, heapSize, machine }, kept, listeners);
}

/** Loads the replacement for a browser's workers in Node; no bundler follows that file's name. */
async function placeHere() {
  if (typeof Worker !== "undefined") return { addresses: [defaultModule(), defaultWasm()], fetchFile: fetch, spawn };
  if (!globalThis.process?.versions?.node) {
    throw named("UnsupportedError", "the browser's board needs Web Workers, which are missing here");
  }
  const half = "./node.js";
  return import(/* @vite-ignore */ /* webpackIgnore: true */ half);
}

const spawn = () => new Worker(new URL("./worker.js", import.meta.url), { type: "module" });

/** Opens a board in a frame; `undefined` if the page's policy forbids the frame. */
async function inFrame(script, setup, files, listeners) {
  const [host, guest, micropython] = await Promise.all([HOST(), GUEST(), script].map((address) => load(address, "text")));
  try {
    return await openFramed({ host, code: [classic(micropython), guest] }, setup, files, listeners);
  } catch (error) {
    if (error?.name === "FrameRefusedError") return undefined;
    throw error;
  }
}

async function inWorker({ spawn }, script, { wasm, heapSize, machine }, files, listeners) {
  const link = new WorkerBoard(spawn, { script: script.href, module: await compile(wasm), heapSize, machine }, files, listeners);
  await link.whenReady();
  return link;
}

// The bundler finds these; without a bundler, `module` and `wasm` are given.
function defaultModule() {
  return new URL("@micropython/micropython-webassembly-pyscript/micropython.mjs", import.meta.url);
}

function defaultWasm() {
  return new URL("@micropython/micropython-webassembly-pyscript/micropython.wasm", import.meta.url);
}

// Built from `host.js` and `guest-worker.js` with the package: each is one classic script.
const HOST = () => new URL("../../pkg/guest/host.js", import.meta.url);
const GUEST = () => new URL("../../pkg/guest/worker.js", import.meta.url);

async function compile(bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw notLoaded(error);
  }
}

/** Loads MicroPython's WebAssembly and inserts our call, or loads a text. */
async function load(address, kind, get = fetch) {
  try {
    const response = await get(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    if (kind === "text") return await response.text();
    return patched(new Uint8Array(await response.arrayBuffer()));
  } catch (error) {
    throw notLoaded(error);
  }
}

function notLoaded(error) {
  return named("LinkError", "MicroPython's WebAssembly could not be loaded", error);
}

function snapshot(files) {
  const encoder = new TextEncoder();
  const bytes = (content) => (typeof content === "string" ? encoder.encode(content) : (content?.slice() ?? null));
  return new Map(Object.entries(files).map(([path, content]) => [path, bytes(content)]));
}
