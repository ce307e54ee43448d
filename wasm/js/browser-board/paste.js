// Raw-paste mode of a board (MicroPython's docs/reference/repl.rst): the host sends a program in windows, each of which is acknowledged.

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const GO_ON = 0x01;
/** Number of bytes that the host may send ahead. */
const WINDOW = 28 * 1024;

export class Paste {
  #output;
  #bytes = [];
  #ahead = WINDOW;

  constructor(output) {
    this.#output = output;
    for (const byte of [0x52, 0x01, WINDOW & 0xff, WINDOW >> 8]) output.put(byte);
  }

  /** Returns the program. The port treats an empty one as a request for a reset. */
  get program() {
    return this.#bytes.length > 0 ? this.#bytes : [0x0a];
  }

  /** Takes a byte; returns it if it ends the paste. */
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
