// Raw-paste mode of a board (MicroPython's docs/reference/repl.rst): the host sends a program in windows, each of which is acknowledged.

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const GO_ON = 0x01;
/** Number of bytes that the host may be ahead. */
const WINDOW = 28 * 1024;

export class Paste {
  #output;
  #bytes = [];
  #ahead = WINDOW;

  constructor(output) {
    this.#output = output;
    for (const byte of [0x52, 0x01, WINDOW & 0xff, WINDOW >> 8]) output.put(byte);
  }

  /** The program. The port takes an empty one for the wish to be reset. */
  get program() {
    return this.#bytes.length > 0 ? this.#bytes : [0x0a];
  }

  /** Takes a byte; returns it if it is the one that ends the paste. */
  take(byte) {
    if (byte === CTRL_C || byte === CTRL_D) return byte;
    this.#bytes.push(byte);
    this.#ahead -= 1;
    if (this.#ahead > 0) return undefined;
    this.#ahead = WINDOW;
    this.#output.put(GO_ON);
    this.#output.flush();
    return undefined;
  }
}
