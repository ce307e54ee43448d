// A board made of two in-memory streams, written from what MicroPython does on the wire; it shares no code with the
// package. Its programs are words: `print TEXT`, `raise`, `exit`, `restart`, and `hang` and
// `shrug`, which end only by Ctrl-C: one by the first, the other by the second.

const BANNER = "raw REPL; CTRL-B to exit\r\n>";
const PROMPT = 'MicroPython v1.27 on a fake board\r\nType "help()" for more information.\r\n>>> ';

export class Device {
  #mode = "normal";
  #line = [];
  #hanging = false;
  #shrugs = false;
  #down;
  received = [];

  constructor() {
    const up = new TransformStream();
    const down = new TransformStream();
    this.link = { readable: down.readable, writable: up.writable };
    this.#down = down.writable.getWriter();
    this.#serve(up.readable);
  }

  /** Creates a link that takes all data and stays silent. */
  static silentLink() {
    return { readable: new ReadableStream(), writable: new WritableStream() };
  }

  /** Pulls the cable. */
  unplug() {
    this.#down.close().catch(() => {});
  }

  /** The browser's way to say so. */
  fail(message) {
    this.#down.abort(new Error(message)).catch(() => {});
  }

  say(text) {
    this.sayBytes(new TextEncoder().encode(text));
  }

  sayBytes(bytes) {
    this.#down.write(new Uint8Array(bytes)).catch(() => {});
  }

  isLocked() {
    return this.link.readable.locked || this.link.writable.locked;
  }

  async #serve(readable) {
    for await (const chunk of readable) {
      for (const byte of chunk) this.#take(byte);
    }
  }

  #take(byte) {
    this.received.push(byte);
    if (this.#hanging) return byte === 3 ? this.#interrupted() : undefined;
    if (byte === 1) this.#enterRaw();
    else if (byte === 3) this.#line = [];
    else if (this.#mode === "normal") this.say(byte === 13 ? "\r\n>>> " : String.fromCharCode(byte));
    else if (byte === 2) this.#leaveRaw();
    else if (byte === 4) this.#run(new TextDecoder().decode(new Uint8Array(this.#line.splice(0))));
    else this.#line.push(byte);
  }

  #enterRaw() {
    this.#line = [];
    this.say((this.#mode === "normal" ? "\r\n" : "") + BANNER);
    this.#mode = "raw";
  }

  #leaveRaw() {
    this.#mode = "normal";
    this.say(`\r\n${PROMPT}`);
  }

  #run(source) {
    const [word, ...rest] = source.split(" ");
    if (source === "") this.say(`OK\r\nMPY: soft reboot\r\n${BANNER}`);
    else if (word === "print") this.say(`OK${rest.join(" ")}\x04\x04>`);
    else if (word === "raise") this.say(`OKso far\r\n\x04${traceback("ValueError: no")}\x04>`);
    else if (word === "exit") this.say(`OK\x04\x04MPY: soft reboot\r\n${BANNER}`);
    else if (word === "restart") this.#restart();
    else this.#hang(word === "shrug");
  }

  #restart() {
    this.#mode = "normal";
    this.say(`OKso far\r\nrst:0x1 (POWERON)\r\n${PROMPT}`);
  }

  #hang(shrugs) {
    this.#hanging = true;
    this.#shrugs = shrugs;
    this.say("OKhanging");
  }

  #interrupted() {
    if (this.#shrugs) return (this.#shrugs = false);
    this.#hanging = false;
    this.say(`\x04${traceback("KeyboardInterrupt: ")}\x04>`);
  }
}

function traceback(error) {
  return `Traceback (most recent call last):\r\n  File "<stdin>", line 1, in <module>\r\n${error}\r\n`;
}

/** The timers that are set and have neither fired nor been cleared, from now on. */
export class Timers {
  #live = new Set();
  #restore;

  constructor() {
    const { setTimeout, clearTimeout } = globalThis;
    this.#restore = () => Object.assign(globalThis, { setTimeout, clearTimeout });
    globalThis.setTimeout = (callback, millis) => {
      const id = setTimeout(() => {
        this.#live.delete(id);
        callback();
      }, millis);
      this.#live.add(id);
      return id;
    };
    globalThis.clearTimeout = (id) => {
      this.#live.delete(id);
      clearTimeout(id);
    };
  }

  count() {
    return this.#live.size;
  }

  restore() {
    this.#restore();
  }
}
