// What the interpreter's WebAssembly gets from us: its clock, its output, and as much memory as a program may have.

import { restrict } from "./guest.js";
import { LOOK } from "./patch.js";

const STDOUT = 1;
const STDERR = 2;
/** Bytes of memory past which a program gets no more. */
export const MOST_MEMORY = 256 * 1024 * 1024;

/**
 * The port offers no place for imports of ours, so they are put in while it is instantiated: a clock that can end a sleep, and
 * what writes to stdout and stderr, for which Emscripten would call a function for each byte.
 */
export async function withImports(module, board, load) {
  const { ticks, look, print, keyboard } = board;
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
    const wasi = imports.wasi_snapshot_preview1;
    wasi.fd_write = writer(wasi.fd_write, print, () => instance.exports.memory.buffer);
    instance = await WebAssembly.instantiate(module, imports);
    return { module, instance };
  };
  try {
    return await load();
  } finally {
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

/**
 * The port collects garbage only between statements of the prompt, for it cannot see the machine's registers, and adds to its heap until the
 * browser refuses (`gc_collect` in ports/webassembly/main.c): past {@link MOST_MEMORY} we refuse, and that is a MemoryError. Anything the
 * bridge needs for a moment (`Module._malloc`) may still be added, for without it nothing could be said any more.
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

/** WASI's `fd_write` (preview 1): an array of pointers and lengths, and where to put how much was written. */
function writer(toFile, print, buffer) {
  let bytes = new Uint8Array();
  let words = new Uint32Array();
  return (fd, vectors, count, written) => {
    if (fd !== STDOUT && fd !== STDERR) return toFile(fd, vectors, count, written);
    // A memory that has grown has another buffer.
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
