// Makes a program interruptible anywhere, and its memory limited. At each backward jump the interpreter checks for pending events,
// but in a cell of its memory that nothing else can write while it runs. Therefore a call to one of our imports is inserted
// before that place in its WebAssembly. And how much it may add to its heap is a constant, in whose place another import is called.

/** Import without use for programs (`jsffi.mem_info`), with a pointer as its argument, which is 0 only in our call. */
export const LOOK = "js_get_proxy_js_ref_info";
/** Import without use for programs (the bridge's search for an object by its number), with {@link ADD} as its argument in our call. */
export const CHECK = "js_check_existing";
export const ADD = -1;
/** Limit of an addition to the heap on a board like no machine (`gc_get_max_new_split` in ports/webassembly/main.c), in bytes. */
export const UNLIMITED = 128 * 1024 * 1024;

const [IMPORTS, GLOBALS, EXPORTS, CODE] = [2, 6, 7, 10];
const [NOTHING, IF, NO_RESULT, END, CALL, GLOBAL_GET, GLOBAL_SET, I32_LOAD16_U, I32_CONST, I32_EQZ, I32_ADD, I32_AND] = [0x01, 0x04, 0x40, 0x0b, 0x10, 0x23, 0x24, 0x2f, 0x41, 0x45, 0x6a, 0x71];
/** A mutable global variable of type i32, initialized with 0. */
const COUNTER = [0x7f, 0x01, I32_CONST, 0, END];
/** This number of jumps back takes a program a tenth of a millisecond at most. */
const TURNS = 512;
const HEADER = 8;
/** Minimum length of `mp_execute_bytecode`; no other function that checks the cell is this long. */
const LARGE = 8 * 1024;

/**
 * Returns the module with the calls, or without one if it is not built as expected: an endless loop then ends with its worker, and
 * memory has no limit.
 */
export function patched(bytes) {
  return [withLook, withLimit].reduce((module, change) => tried(change, module), bytes);
}

function tried(change, bytes) {
  try {
    return change(bytes) ?? bytes;
  } catch (error) {
    if (error instanceof RangeError) return bytes;
    throw error;
  }
}

/** Calls {@link CHECK} in place of the constant in a function that only returns it. */
function withLimit(bytes) {
  const sections = sectionsOf(bytes);
  const check = functionImports(new Reader(bytes, sections.get(IMPORTS)?.content)).indexOf(CHECK);
  const code = sections.get(CODE);
  const constant = [0, I32_CONST, ...signed(UNLIMITED), END];
  const isIt = ({ start, end }) => end - start === constant.length && constant.every((byte, n) => bytes[start + n] === byte);
  const bodies = bodiesOf(new Reader(bytes, code?.content)).filter(isIt);
  if (check < 0 || bodies.length !== 1) return undefined;
  const call = [0, I32_CONST, ADD & 0x7f, CALL, ...leb(check)];
  const rest = constant.length - 1 - call.length;
  if (rest < 0) return undefined;
  const [{ start, end }] = bodies;
  return edited(bytes, [{ from: start, to: end, put: [...call, ...Array(rest).fill(NOTHING), END] }]);
}

function withLook(bytes) {
  const sections = sectionsOf(bytes);
  const imports = functionImports(new Reader(bytes, sections.get(IMPORTS)?.content));
  const look = imports.indexOf(LOOK);
  const schedule = exported(new Reader(bytes, sections.get(EXPORTS)?.content), "mp_sched_keyboard_interrupt");
  const code = sections.get(CODE);
  const bodies = bodiesOf(new Reader(bytes, code?.content));
  const setter = bodies[schedule - imports.length];
  const test = setter && loadOfState(bytes, setter);
  if (look < 0 || !test) return undefined;
  const places = bodies.filter(({ start, end }) => end - start > LARGE).flatMap((body) => occurrences(bytes, test, body).map((at) => ({ at, body })));
  if (places.length !== 1) return undefined;
  const [{ at, body }] = places;
  const globals = sections.get(GLOBALS);
  const counting = new Reader(bytes, globals?.content);
  const counter = counting.number();
  const call = callEach(TURNS, counter, look);
  const size = leb(body.end - body.start + call.length);
  const [oldSize, oldCount] = [body.start - body.size, counting.at - globals.content];
  const count = leb(counter + 1);
  return edited(bytes, [
    { from: globals.start + 1, to: globals.content, put: leb(globals.end - globals.content + count.length - oldCount + COUNTER.length) },
    { from: globals.content, to: counting.at, put: count },
    { from: globals.end, to: globals.end, put: COUNTER },
    { from: code.start + 1, to: code.content, put: leb(code.end - code.content + call.length + size.length - oldSize) },
    { from: body.size, to: body.start, put: size },
    { from: at, to: at, put: call },
  ]);
}

function sectionsOf(bytes) {
  const sections = new Map();
  const reader = new Reader(bytes, HEADER);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const id = reader.byte();
    const length = reader.number();
    sections.set(id, { start, content: reader.at, end: reader.at + length });
    reader.at += length;
  }
  return sections;
}

/**
 * Counts, and calls a function with 0 once per this many times, a power of two: calling it each time would slow a loop
 * down by a quarter.
 */
function callEach(turns, counter, look) {
  const global = leb(counter);
  const count = [GLOBAL_GET, ...global, I32_CONST, 1, I32_ADD, GLOBAL_SET, ...global];
  const isDue = [GLOBAL_GET, ...global, I32_CONST, ...signed(turns - 1), I32_AND, I32_EQZ];
  return [...count, ...isDue, IF, NO_RESULT, I32_CONST, 0, CALL, ...leb(look), END];
}

/** Replaces parts of the bytes, given in order. */
function edited(bytes, edits) {
  const parts = edits.flatMap(({ from, put }, n) => [bytes.subarray(n === 0 ? 0 : edits[n - 1].to, from), put]);
  parts.push(bytes.subarray(edits.at(-1).to));
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((to, part) => (result.set(part, to), to + part.length), 0);
  return result;
}

/**
 * Finds the instructions in `mp_sched_keyboard_interrupt` that push the scheduler's state: a constant, and a load with
 * its offset.
 */
function loadOfState(bytes, { start, end }) {
  for (let at = start; at < end; at++) {
    if (bytes[at] !== I32_CONST) continue;
    const reader = new Reader(bytes, at + 1);
    reader.number();
    if (reader.byte() !== I32_LOAD16_U) continue;
    reader.number();
    reader.number();
    return bytes.subarray(at, reader.at);
  }
  return undefined;
}

function occurrences(bytes, wanted, { start, end }) {
  const found = [];
  for (let at = start; at <= end - wanted.length; at++) if (wanted.every((byte, n) => bytes[at + n] === byte)) found.push(at);
  return found;
}

/** Returns the names of the imported functions, which have the first numbers. */
function functionImports(reader) {
  const names = [];
  for (let left = reader.number(); left > 0; left--) {
    reader.name();
    const name = reader.name();
    const kind = reader.byte();
    // This module imports only functions.
    if (kind !== 0) throw new RangeError(`import ${name} is no function`);
    reader.number();
    names.push(name);
  }
  return names;
}

function exported(reader, wanted) {
  for (let left = reader.number(); left > 0; left--) {
    const name = reader.name();
    reader.byte();
    const number = reader.number();
    if (name === wanted) return number;
  }
  throw new RangeError(`there is no ${wanted}`);
}

function bodiesOf(reader) {
  return Array.from({ length: reader.number() }, () => {
    const size = reader.at;
    const length = reader.number();
    const start = reader.at;
    reader.at += length;
    return { size, start, end: reader.at };
  });
}

/** Reads the binary format (WebAssembly 2.0, section 5). */
class Reader {
  #bytes;

  constructor(bytes, at) {
    if (at === undefined) throw new RangeError("a section is missing");
    this.#bytes = bytes;
    this.at = at;
  }

  byte() {
    if (this.at >= this.#bytes.length) throw new RangeError("the module ends too early");
    return this.#bytes[this.at++];
  }

  /** Reads an unsigned LEB128 number of 32 bits. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
      if (shift > 28) throw new RangeError("a number is too long");
    }
  }

  name() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.#bytes.subarray(this.at - length, this.at));
  }
}

function leb(number) {
  const bytes = [];
  for (let left = number; ; left >>>= 7) {
    if (left < 0x80) return [...bytes, left];
    bytes.push((left & 0x7f) | 0x80);
  }
}

/** Encodes a number like {@link leb}, in a form that cannot be read as negative: bit 6 of its last byte is clear. */
function signed(number) {
  const bytes = leb(number);
  return bytes.at(-1) & 0x40 ? [...bytes.slice(0, -1), bytes.at(-1) | 0x80, 0] : bytes;
}
