// Output of the board, sent line by line at low rates, and in larger pieces during a flood.

const SIZE = 32 * 1024;
// A program may print a line and then loop endlessly without calling our code, so a line is sent at once. Since a flood
// would drown the page in messages, lines beyond this number are gathered for some milliseconds.
const BURST = 100;
const EVERY = 8;
/** Number of bytes that suffice to recognize the board's mode; a power of two. */
const RECENT = 64;
// Without shared memory the board cannot be told to wait, so this limits its output, in bytes per millisecond.
const FASTEST = 4 * 1024;

export class Output {
  #bytes = new Uint8Array(SIZE);
  #length = 0;
  #sentAt = 0;
  #allowance = BURST;
  #post;
  #shared;
  muted = false;
  /** The last printed bytes, in a ring, and the total number of bytes. */
  #recent = new Uint8Array(RECENT);
  #count = 0;

  constructor(post, shared) {
    this.#post = post;
    this.#shared = shared;
  }

  put(byte) {
    this.#remember(byte);
    if (this.muted) return;
    this.#bytes[this.#length++] = byte;
    if (this.#length === SIZE) this.flush();
  }

  #remember(byte) {
    this.#recent[this.#count++ % RECENT] = byte;
  }

  text(text) {
    for (const byte of new TextEncoder().encode(text)) this.put(byte);
  }

  /** Calls {@link put} for each byte of a part of `memory`. */
  putAll(memory, from, to) {
    // Most output is so short that a view of it would cost more.
    if (this.muted || to - from <= RECENT) {
      for (let at = from; at < to; at++) this.put(memory[at]);
      return;
    }
    for (let at = to - RECENT; at < to; at++) this.#remember(memory[at]);
    while (from < to) {
      const end = Math.min(to, from + SIZE - this.#length);
      this.#bytes.set(memory.subarray(from, end), this.#length);
      this.#length += end - from;
      from = end;
      if (this.#length === SIZE) this.flush();
    }
  }

  /** Returns true if the output ends with this ASCII text. */
  endsWith(text) {
    const start = this.#count - text.length;
    for (let at = 0; at < text.length; at++) if (this.#recent[(start + at) % RECENT] !== text.charCodeAt(at)) return false;
    return start >= 0;
  }

  /** Sends gathered output if it is time. */
  breathe(now) {
    const quiet = now - this.#sentAt;
    if (this.#length === 0 || (this.#allowance < 1 && quiet < EVERY)) return;
    this.#allowance = Math.min(BURST, this.#allowance + quiet / EVERY) - 1;
    this.flush();
  }

  flush() {
    if (this.#length === 0) return;
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    this.#pace(bytes.length);
    this.#post({ type: "output", bytes }, [bytes.buffer]);
    this.#shared?.send(bytes.length);
  }

  #pace(count) {
    const free = this.#sentAt + count / FASTEST;
    let now = performance.now();
    while (!this.#shared && now < free) now = performance.now();
    this.#sentAt = now;
  }
}
