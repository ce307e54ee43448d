// Imports of the interpreter's WebAssembly: its clock, its output, and the limit of a program's memory.

import { restrict } from "./guest.js";
import { ADD, CHECK, LOOK } from "./patch.js";

const STDOUT = 1;
const STDERR = 2;
/** Memory limit of a program, in bytes. */
export const MOST_MEMORY = 256 * 1024 * 1024;

/**
 * The port cannot be given further imports, so they are added during instantiation: a clock that can end a sleep, and a
 * writer for stdout and stderr, for which Emscripten would call a function per byte. `board` gets the exports.
 */
export async function withImports(module, board, load) {
  const { ticks, look, print, mayAdd, keyboard } = board;
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (response, imports) => {
    response.catch?.(() => {});
    let instance;
    imports.env.mp_js_ticks_ms = ticks;
    const info = imports.env[LOOK];
    imports.env[LOOK] = (pointer) => (pointer === 0 ? look() : info(pointer));
    const grow = imports.env.emscripten_resize_heap;
    imports.env.emscripten_resize_heap = (size) => board.resize(grow, size);
    restrict(imports.env, keyboard, () => instance.exports.memory.buffer);
    // After the restriction, which leaves nothing of this import for a program.
    const check = imports.env[CHECK];
    imports.env[CHECK] = (reference) => (reference === ADD ? mayAdd() : check(reference));
    const wasi = imports.wasi_snapshot_preview1;
    wasi.fd_write = writer(wasi.fd_write, print, () => instance.exports.memory.buffer);
    instance = await WebAssembly.instantiate(module, imports);
    board.exports = instance.exports;
    return { module, instance };
  };
  try {
    const python = await load();
    keepReferencesApart(python._module);
    return python;
  } finally {
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * Lets proxies of this interpreter's objects free references of this interpreter alone. The port frees them in `globalThis.Module`
 * (`proxy_js_init` in ports/webassembly/proxy_js.js, MicroPython 1.29), which is the next interpreter after a reset: that one then
 * called, for its timers and pins, a function that it no longer had.
 */
function keepReferencesApart(module) {
  const proxies = globalThis.proxy_js_map;
  globalThis.pyProxyFinalizationRegistry = new FinalizationRegistry((reference) => {
    proxies.delete(reference);
    module._proxy_c_free_obj(reference);
  });
}

/**
 * The port collects garbage only between statements at the prompt, because it cannot see the machine's registers, and
 * grows its heap until the browser refuses (`gc_collect` in ports/webassembly/main.c): beyond {@link MOST_MEMORY} we
 * refuse, which is a MemoryError. Memory that the bridge needs temporarily (`Module._malloc`) is still granted, as no
 * communication is possible without it.
 */
export function limitMemory(module) {
  const memory = { isOurs: true };
  const { _malloc: allocate } = module;
  module._malloc = (size) => {
    const before = memory.isOurs;
    memory.isOurs = true;
    try {
      return allocate(size);
    } finally {
      memory.isOurs = before;
    }
  };
  return memory;
}

/**
 * Implements WASI's `fd_write` (preview 1): an array of pointers and lengths, and the address for the number of written
 * bytes.
 */
function writer(toFile, print, buffer) {
  let bytes = new Uint8Array();
  let words = new Uint32Array();
  return (fd, vectors, count, written) => {
    if (fd !== STDOUT && fd !== STDERR) return toFile(fd, vectors, count, written);
    // A memory that has grown has a new buffer.
    if (bytes.buffer !== buffer()) [bytes, words] = [new Uint8Array(buffer()), new Uint32Array(buffer())];
    let total = 0;
    for (let at = vectors / 4; at < vectors / 4 + 2 * count; at += 2) {
      const [start, length] = [words[at], words[at + 1]];
      print(bytes, start, start + length);
      total += length;
    }
    words[written / 4] = total;
    return 0;
  };
}
