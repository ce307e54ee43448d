// What the board prints, sent line by line while that is cheap, and in handfuls during a flood.

const SIZE = 32 * 1024;
// A program may print a line and then loop without end, where nothing of ours is called: so a line is sent at once.
// A flood would drown the page in messages: past so many at once, and one a millisecond, lines wait for each other.
const BURST = 100;
const EVERY = 8;
// Without shared memory nobody can tell the board to wait, so it prints no faster than this, in bytes a millisecond.
const FASTEST = 4 * 1024;

export class Output {
  #bytes = new Uint8Array(SIZE);
  #length = 0;
  #sentAt = 0;
  #allowance = BURST;
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
    const quiet = performance.now() - this.#sentAt;
    if (this.#length === 0 || (this.#allowance < 1 && quiet < EVERY)) return;
    this.#allowance = Math.min(BURST, this.#allowance + quiet) - 1;
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
