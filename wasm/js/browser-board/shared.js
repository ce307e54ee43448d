// Memory shared by the page and the board's worker, if the page is cross-origin isolated: a flag for Ctrl-C, the input,
// a flag for Ctrl-C being data, and the amount of output in flight. The page cannot reach a worker that runs a program
// in any other way.

const INTERRUPT = 0;
const HEAD = 1;
const TAIL = 2;
const IN_FLIGHT = 3;
const CTRL_C_IS_DATA = 4;
const CELLS = 5;
const HEADER = CELLS * Int32Array.BYTES_PER_ELEMENT;

const TYPED_SIZE = 128 * 1024;
// Beyond this, the board waits for the page: a flood of output must not fill the page's memory.
const MOST_IN_FLIGHT = 1024 * 1024;

export class Shared {
  #cells;
  #typed;

  constructor(buffer = new SharedArrayBuffer(HEADER + TYPED_SIZE)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#typed = new Uint8Array(buffer, HEADER);
  }

  // Ctrl-C

  requestInterrupt() {
    Atomics.store(this.#cells, INTERRUPT, 1);
    Atomics.notify(this.#cells, INTERRUPT);
    Atomics.notify(this.#cells, TAIL);
  }

  /** Ends a sleep, so that the worker looks at something else. */
  wake() {
    Atomics.notify(this.#cells, INTERRUPT);
    Atomics.notify(this.#cells, TAIL);
  }

  /** Takes the request; returns true if one was pending. */
  takeInterrupt() {
    return Atomics.exchange(this.#cells, INTERRUPT, 0) === 1;
  }

  /** Sleeps until a pending request is taken. Only in the worker. */
  awaitTaken() {
    while (Atomics.load(this.#cells, INTERRUPT) === 1) Atomics.wait(this.#cells, INTERRUPT, 1, 100);
  }

  /** True while the running program has disabled Ctrl-C, and reads it like any other byte. Set in the worker. */
  get ctrlCIsData() {
    return Atomics.load(this.#cells, CTRL_C_IS_DATA) === 1;
  }

  set ctrlCIsData(isIt) {
    Atomics.store(this.#cells, CTRL_C_IS_DATA, isIt ? 1 : 0);
  }

  /** Sleeps until Ctrl-C is pressed, for at most this many milliseconds. Only in the worker. */
  doze(millis) {
    Atomics.wait(this.#cells, INTERRUPT, 0, millis);
  }

  /** Sleeps until there is input or Ctrl-C is pressed, for at most this many milliseconds. Only in the worker. */
  awaitTyped(millis) {
    Atomics.wait(this.#cells, TAIL, Atomics.load(this.#cells, HEAD), millis);
  }

  // What was typed: one writer, one reader, one byte always free

  /** Takes as many bytes as fit; returns their number. */
  type(bytes) {
    const tail = Atomics.load(this.#cells, TAIL);
    const head = Atomics.load(this.#cells, HEAD);
    const room = (head - tail - 1 + TYPED_SIZE) % TYPED_SIZE;
    const count = Math.min(room, bytes.length);
    const beforeEnd = Math.min(count, TYPED_SIZE - tail);
    this.#typed.set(bytes.subarray(0, beforeEnd), tail);
    this.#typed.set(bytes.subarray(beforeEnd, count));
    Atomics.store(this.#cells, TAIL, (tail + count) % TYPED_SIZE);
    Atomics.notify(this.#cells, TAIL);
    return count;
  }

  /** Returns the next byte, or -1. */
  take() {
    const head = Atomics.load(this.#cells, HEAD);
    if (head === Atomics.load(this.#cells, TAIL)) return -1;
    const byte = this.#typed[head];
    Atomics.store(this.#cells, HEAD, (head + 1) % TYPED_SIZE);
    return byte;
  }

  /** Fills as much as possible, up to the end of the ring; returns the number of bytes. */
  takeInto(into) {
    const head = Atomics.load(this.#cells, HEAD);
    const tail = Atomics.load(this.#cells, TAIL);
    const count = Math.min(into.length, (tail < head ? TYPED_SIZE : tail) - head);
    into.set(this.#typed.subarray(head, head + count));
    Atomics.store(this.#cells, HEAD, (head + count) % TYPED_SIZE);
    return count;
  }

  get hasTyped() {
    return Atomics.load(this.#cells, HEAD) !== Atomics.load(this.#cells, TAIL);
  }

  // Output on its way

  send(count) {
    Atomics.add(this.#cells, IN_FLIGHT, count);
    for (;;) {
      const inFlight = Atomics.load(this.#cells, IN_FLIGHT);
      // Ctrl-C must reach a board whose reader has gone away.
      if (inFlight < MOST_IN_FLIGHT || Atomics.load(this.#cells, INTERRUPT) === 1) return;
      Atomics.wait(this.#cells, IN_FLIGHT, inFlight, 100);
    }
  }

  received(count) {
    Atomics.sub(this.#cells, IN_FLIGHT, count);
    Atomics.notify(this.#cells, IN_FLIGHT);
  }
}
