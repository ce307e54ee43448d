// MicroPython's WebAssembly port, made to behave like a board: it starts boot.py and main.py, resets softly, can be
// interrupted while it prints or sleeps, reads what is typed, and keeps away from its own traps.

import { makeDevices } from "./devices.js";
import { FileWatch, limitNames, merge, restore, snapshotOf } from "./files.js";
import { hollow, restrict } from "./guest.js";
import { LOOK } from "./patch.js";
import { SETUP } from "./setup.js";

const CTRL_A = 0x01;
const CTRL_B = 0x02;
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_E = 0x05;
/** How a host asks for raw-paste mode; the answer has how many bytes it may be ahead. */
const QUESTION = [CTRL_E, 0x41, CTRL_A];
const WINDOW = 28 * 1024;
const GO_ON = 0x01;
const STDOUT = 1;
const STDERR = 2;
const RAW_BANNER = "raw REPL; CTRL-B to exit\r\n>";
const FORCED_EXIT = 0x100;

// How often to look at the files of a running program, in milliseconds.
const FILES_EVERY = 500;
// How long a program that reads bytes waits before it looks whether it was interrupted, in milliseconds.
const LOOK_EVERY = 20;
// How a wait ended.
const TYPED = 1;
const NOTHING = 0;
const INTERRUPTED = -1;
// So many looks at the clock within a millisecond are a program that sleeps.
const SPINS = 200;
// Ends any sleep: the port waits until the clock is so far from its start.
const NEVER = 0x7fffffff;

export class Interpreter {
  #load;
  #module;
  #heapSize;
  #output;
  #keyboard;
  #shared;
  #post;
  #python;
  #files;
  #watch;
  #filesAt = 0;
  #runsFile = false;
  #mode = "normal";
  /** Whether the line in raw mode is still empty: only there is Ctrl-E a command. */
  #atLineStart = true;
  /** How much of {@link QUESTION} has come. */
  #asked = 0;
  /** The program that is pasted, and how much of the window is left. */
  #paste;
  #ahead = 0;
  /** Bytes of the port's "OK" that raw-paste mode has none of. */
  #unsaid = 0;
  #isDeafToCtrlC = false;
  #now = 0;
  #spins = 0;

  constructor({ load, module, heapSize, files, output, keyboard, shared, post }) {
    this.#load = load;
    this.#module = module;
    this.#heapSize = heapSize;
    this.#files = files;
    this.#output = output;
    this.#keyboard = keyboard;
    this.#shared = shared;
    this.#post = post;
  }

  /** Power on: boot.py, main.py, the prompt. */
  async powerOn() {
    await this.#start();
    this.#runFile("/boot.py");
    this.#runFile("/main.py");
    this.#python.replInit();
  }

  /** After the page had to end the worker: goes on as a board would that had been interrupted. */
  async resume(mode, wasBooting) {
    const interrupted =
      "Traceback (most recent call last):\r\nKeyboardInterrupt: stopped by restarting the browser's board\r\n";
    await this.#start();
    this.#output.muted = !(wasBooting && mode === "normal");
    if (wasBooting) this.#aloud(interrupted);
    this.#python.replInit();
    if (mode === "raw") this.feed(CTRL_A);
    this.#output.muted = false;
    if (wasBooting) this.#output.text(mode === "raw" ? RAW_BANNER : "");
    else this.#output.text(mode === "raw" ? `\x04${interrupted}\x04>` : `\r\n${interrupted}>>> `);
  }

  /** One typed byte. Answers a promise only when the board resets itself. */
  feed(byte) {
    if (this.#paste) return this.#takePaste(byte);
    if (this.#isAsked(byte)) return undefined;
    const result = this.#type(byte);
    // Each of Ctrl-A to Ctrl-D ends the line in raw mode.
    this.#atLineStart = byte >= CTRL_A && byte <= CTRL_D;
    if (byte === CTRL_A && this.#output.endsWith(RAW_BANNER)) this.#enter("raw");
    if (byte === CTRL_B && this.#mode === "raw") this.#enter("normal");
    return result & FORCED_EXIT ? this.#softReset() : undefined;
  }

  /** As `replProcessChar` does it, without the cost of a call by name for each byte. */
  #type(byte) {
    return this.#python._module._mp_js_repl_process_char(byte);
  }

  /** Raw-paste mode is ours: the port's own would read its stub of a stdin for ever. */
  #isAsked(byte) {
    const mayAsk = this.#mode === "raw" && (this.#asked > 0 || this.#atLineStart);
    if (!mayAsk || byte !== QUESTION[this.#asked]) {
      if (this.#asked === 2) this.#python.replProcessChar(QUESTION[1]);
      this.#asked = 0;
      return false;
    }
    this.#asked = (this.#asked + 1) % QUESTION.length;
    if (this.#asked === 0) this.#beginPaste();
    return true;
  }

  #beginPaste() {
    this.#paste = [];
    this.#ahead = WINDOW;
    for (const byte of [0x52, 0x01, WINDOW & 0xff, WINDOW >> 8]) this.#output.put(byte);
  }

  #takePaste(byte) {
    if (byte === CTRL_C || byte === CTRL_D) return this.#endPaste(byte);
    this.#paste.push(byte);
    this.#ahead -= 1;
    if (this.#ahead > 0) return undefined;
    this.#ahead = WINDOW;
    this.#output.put(GO_ON);
    this.#output.flush();
    return undefined;
  }

  #endPaste(byte) {
    // The port takes an empty program for the wish to be reset.
    const program = this.#paste.length > 0 ? this.#paste : [0x0a];
    this.#paste = undefined;
    this.#output.put(CTRL_D);
    if (byte === CTRL_C) return void this.#output.text("\x04Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n\x04>");
    for (const one of program) this.#type(one);
    this.#unsaid = 2;
    return this.#type(CTRL_D) & FORCED_EXIT ? this.#softReset() : undefined;
  }

  saveFiles() {
    const changes = this.#watch.changes();
    if (changes) this.#post({ type: "files", ...changes }, changes.changed.flatMap(([, part]) => part?.bytes.buffer ?? []));
    this.#filesAt = performance.now();
  }

  /** Makes changes of somebody else's, who is not told of them. */
  takeFiles(changes) {
    this.saveFiles();
    merge(this.#python.FS, changes);
    this.#watch.changes();
  }

  async #softReset() {
    this.saveFiles();
    this.#files = snapshotOf(this.#python.FS);
    this.#post({ type: "booting" });
    this.#output.text("MPY: soft reboot\r\n");
    await this.#start();
    this.#runFile("/boot.py");
    if (this.#mode === "raw") return this.#intoRaw();
    this.#runFile("/main.py");
    this.#python.replInit();
  }

  #intoRaw() {
    this.#output.muted = true;
    this.#python.replInit();
    this.#python.replProcessChar(CTRL_A);
    this.#output.muted = false;
    this.#output.text(RAW_BANNER);
    this.#atLineStart = true;
  }

  #enter(mode) {
    this.#mode = mode;
    this.#atLineStart = true;
    this.#post({ type: "mode", mode });
  }

  #aloud(text) {
    const { muted } = this.#output;
    this.#output.muted = false;
    this.#output.text(text);
    this.#output.muted = muted;
  }

  async #start() {
    const keyboard = this.#keyboardModule();
    const imports = { ticks: () => this.#ticks(), look: () => this.#breathe(), print: (memory, from, to) => this.#print(memory, from, to), keyboard };
    this.#python = await withImports(this.#module, imports, () =>
      // The module is compiled already; the address is never read.
      this.#load({ url: "data:application/wasm,", heapsize: this.#heapSize }),
    );
    this.#noteCtrlC(false);
    makeDevices(this.#python.FS, { read: (into) => this.#read(into), write: (memory, from, to) => this.#write(memory, from, to) });
    limitNames(this.#python.FS);
    restore(this.#python.FS, this.#files);
    this.#files = undefined; // From here on they are in the file system, and changed there.
    this.#watch = new FileWatch(this.#python.FS);
    this.#python.registerJsModule("_keyboard", keyboard);
    // Under a name of its own, or its lines would look like the program's in a traceback. A JSON string is a Python one.
    this.#python.runPython(`exec(compile(${JSON.stringify(SETUP)}, "input", "exec"))`);
  }

  /** All of JavaScript that a program reaches. */
  #keyboardModule() {
    return hollow({
      readline: (isEchoed) => this.#readline(isEchoed),
      letter: () => this.#letter(),
      wait: (millis) => this.#waitForKey(millis),
      sleep: (millis) => this.#sleep(millis),
      typed: () => this.#typed(),
      waits: this.#shared !== undefined,
      ticks: () => Math.floor(performance.now()) | 0,
    });
  }

  #runFile(path) {
    const name = path.slice(1);
    if (!this.#python.FS.analyzePath(path).exists) return;
    this.#runsFile = true;
    try {
      this.#python.runPython(`exec(compile(open("${path}").read(), "${name}", "exec"))`);
    } catch (error) {
      // The first frame is the line above.
      const text = error.message.replace('  File "<stdin>", line 1, in <module>\n', "");
      this.#output.text(text.replaceAll("\n", "\r\n"));
    } finally {
      this.#runsFile = false;
    }
  }

  /** What the port prints, which is a part of its memory: the prompt, or a program by `print()`. */
  #print(memory, from, to) {
    if (this.#isDeafToCtrlC) this.#noteCtrlC(false);
    if (this.#isRunning() && this.#unsaid === 0) return this.#putAll(memory, from, to);
    for (let at = from; at < to; at++) this.#put(memory[at]);
  }

  /** What a program writes to `sys.stdout`. */
  #write(memory, from, to) {
    this.#noteCtrlC();
    this.#putAll(memory, from, to);
  }

  #putAll(memory, from, to) {
    this.#output.putAll(memory, from, to);
    for (let at = from; at < to; at++) if (memory[at] === 0x0a) return void this.#breathe();
  }

  #put(byte) {
    if (this.#unsaid > 0) return this.#leaveOut();
    this.#output.put(byte);
    if (byte === 0x0a) this.#breathe();
    // The program that starts now may never let us do anything again.
    if (this.#mode === "raw" && !this.#isRunning() && this.#output.endsWith("OK")) this.#output.flush();
  }

  /** The program that starts after it may never let us do anything again. */
  #leaveOut() {
    this.#unsaid -= 1;
    if (this.#unsaid === 0) this.#output.flush();
  }

  /** Called whenever the program lets us: it printed, it looked at the clock, or it has jumped back a number of times. */
  #breathe() {
    this.#catchUp();
    if (!this.#takeInterrupt()) return false;
    this.#python._module._mp_sched_keyboard_interrupt();
    return true;
  }

  #catchUp() {
    const now = performance.now();
    this.#output.breathe(now);
    if (this.#python && now - this.#filesAt >= FILES_EVERY) this.saveFiles();
  }

  /** Returns true if Ctrl-C came, which is then the caller's to raise. What is scheduled instead is raised a statement later. */
  #takeInterrupt() {
    if (!this.#isRunning() || !this.#shared?.takeInterrupt()) return false;
    this.#post({ type: "interrupted" });
    return true;
  }

  /** Whether there is a program to interrupt, and not just a prompt that echoes. */
  #isRunning() {
    return this.#runsFile || this.#python?._module._mp_hal_get_interrupt_char() === CTRL_C;
  }

  /**
   * For a program that has Ctrl-C off (`micropython.kbd_intr(-1)`) it is a byte like any other. The prompt has it off, too,
   * but never comes here; and the page hears of nothing that is printed before this is noted.
   */
  #noteCtrlC(isData = this.#python._module._mp_hal_get_interrupt_char() < 0) {
    if (!this.#shared || isData === this.#isDeafToCtrlC) return;
    this.#shared.ctrlCIsData = this.#isDeafToCtrlC = isData;
  }

  #ticks() {
    const now = Math.floor(performance.now());
    this.#spins = now === this.#now ? this.#spins + 1 : 0;
    this.#now = now;
    if (this.#spins > SPINS) this.#shared?.doze(1);
    if (this.#spins % SPINS === 0 && this.#breathe()) return (now + NEVER) | 0;
    return now | 0;
  }

  /** Waits for something typed, at most so long, or without end if that is less than 0; answers {@link TYPED} and its like. */
  #waitForKey(millis) {
    this.#noteCtrlC();
    this.#output.flush();
    const end = millis < 0 ? Infinity : performance.now() + millis;
    while (!this.#keyboard.hasTyped) {
      this.#catchUp();
      if (this.#takeInterrupt()) return INTERRUPTED;
      const left = end - performance.now();
      if (!this.#shared || left <= 0) return NOTHING;
      this.#shared.awaitTyped(Math.min(left, LOOK_EVERY));
    }
    return TYPED;
  }

  /** Sleeps; answers {@link INTERRUPTED} or {@link NOTHING}. */
  #sleep(millis) {
    this.#noteCtrlC();
    const end = performance.now() + millis;
    for (let left = millis; ; left = end - performance.now()) {
      this.#catchUp();
      if (this.#takeInterrupt()) return INTERRUPTED;
      if (left <= 0) return NOTHING;
      this.#shared?.doze(Math.min(left, FILES_EVERY));
    }
  }

  /**
   * A letter as it was typed, with the end of a line as boards read it (MicroPython 1.27, shared/runtime/sys_stdio_mphal.c);
   * `false` when nothing can come, `null` when Ctrl-C comes.
   */
  #letter() {
    const bytes = [];
    do {
      const news = this.#waitForKey(-1);
      if (news !== TYPED) return news === INTERRUPTED ? null : false;
      bytes.push(this.#keyboard.take());
    } while (bytes.length < lengthOfLetter(bytes[0]));
    const letter = new TextDecoder().decode(new Uint8Array(bytes));
    return letter === "\r" ? "\n" : letter;
  }

  /** What was typed, as it is; nothing when nothing comes for a while, for an interrupt may be pending that was taken before. */
  #read(into) {
    const news = this.#waitForKey(LOOK_EVERY);
    if (news === INTERRUPTED) this.#python._module._mp_sched_keyboard_interrupt();
    return news === TYPED ? this.#keyboard.takeInto(into) : 0;
  }

  /** What was typed and not read, without waiting: hooks of a debugger look at it. */
  #typed() {
    const bytes = [];
    for (let byte = this.#keyboard.take(); byte >= 0; byte = this.#keyboard.take()) bytes.push(byte);
    return new TextDecoder().decode(new Uint8Array(bytes));
  }

  /** A line; `false` when nothing can come, `null` when Ctrl-C comes. Boards echo what `input()` reads, and nothing else. */
  #readline(isEchoed) {
    const line = [];
    let isTold = false;
    const echo = (text) => isEchoed && this.#output.text(text);
    for (;;) {
      const byte = this.#keyboard.take();
      if (byte < 0) {
        this.#output.flush();
        if (!this.#shared) return false;
        if (!isTold) this.#post({ type: "awaiting" });
        isTold = true;
        this.#shared.awaitTyped(LOOK_EVERY);
        this.#catchUp();
        if (this.#takeInterrupt()) return null;
      } else if (byte === 0x0d || byte === 0x0a) {
        echo("\r\n");
        return new TextDecoder().decode(new Uint8Array(line));
      } else if (byte === 0x08 || byte === 0x7f) {
        if (line.pop() !== undefined) echo("\b \b");
      } else {
        line.push(byte);
        if (isEchoed) this.#output.put(byte);
      }
    }
  }
}

/** How many bytes of UTF-8 begin with this one (RFC 3629, section 3). */
function lengthOfLetter(byte) {
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/**
 * The port offers no place for imports of ours, so they are put in while it is instantiated: a clock that can end a sleep, and
 * what writes to stdout and stderr, for which Emscripten would call a function for each byte.
 */
async function withImports(module, { ticks, look, print, keyboard }, load) {
  const { instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (response, imports) => {
    response.catch?.(() => {});
    let instance;
    imports.env.mp_js_ticks_ms = ticks;
    const info = imports.env[LOOK];
    imports.env[LOOK] = (pointer) => (pointer === 0 ? look() : info(pointer));
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
