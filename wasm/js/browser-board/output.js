// What the board prints, sent in handfuls: at once when it has been quiet, else every few milliseconds.

const SIZE = 32 * 1024;
const EVERY = 8;
// Without shared memory nobody can tell the board to wait, so it prints no faster than this, in bytes a millisecond.
const FASTEST = 4 * 1024;

export class Output {
  #bytes = new Uint8Array(SIZE);
  #length = 0;
  #sentAt = 0;
  #post;
  #shared;
  muted = false;
  /** The last bytes that were printed, to recognise the board's mode by. */
  #recent = "";

  constructor(post, shared) {
    this.#post = post;
    this.#shared = shared;
  }

  put(byte) {
    if (this.#recent.length >= 64) this.#recent = this.#recent.slice(-32);
    this.#recent += String.fromCharCode(byte);
    if (this.muted) return;
    this.#bytes[this.#length++] = byte;
    if (this.#length === SIZE) this.flush();
  }

  text(text) {
    for (const byte of new TextEncoder().encode(text)) this.put(byte);
  }

  /** Whether the last thing printed was this ASCII text. */
  endsWith(text) {
    return this.#recent.endsWith(text);
  }

  /** Sends what waits if it is time to. */
  breathe() {
    if (this.#length > 0 && performance.now() - this.#sentAt >= EVERY) this.flush();
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
