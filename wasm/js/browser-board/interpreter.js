// MicroPython's WebAssembly port, made to behave like a board: it starts boot.py and main.py, resets softly, can be
// interrupted while it prints or sleeps, reads input, and avoids the port's pitfalls.

import { makeDevices } from "./devices.js";
import { FileWatch, limitNames, limitSpace, merge, restore, snapshotOf } from "./files.js";
import { hollow } from "./guest.js";
import { limitMemory, MOST_MEMORY, withImports } from "./imports.js";
import { LiveMemory, MemoryLimit } from "./memory.js";
import { Paste } from "./paste.js";
import { UNLIMITED } from "./patch.js";
import { Bridge, CUT_OFF, RESET } from "./pins/bridge.js";
import { FOLDER, MACHINES } from "./pins/machines.js";
import { ASYNCIO, SETUP } from "./setup.js";

const CTRL_A = 0x01;
const CTRL_B = 0x02;
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_E = 0x05;
const ENTER = 0x0d;
/** Request for raw-paste mode. */
const QUESTION = [CTRL_E, 0x41, CTRL_A];
const RAW_BANNER = "raw REPL; CTRL-B to exit\r\n>";
const FORCED_EXIT = 0x100;

// Interval between checks of a running program's files, in milliseconds.
const FILES_EVERY = 500;
// Time that a program waiting for bytes sleeps before it checks for an interrupt, in milliseconds.
const LOOK_EVERY = 20;
// Results of a wait.
const [TYPED, NOTHING, INTERRUPTED] = [1, 0, -1];
// A program that reads the clock more often than this within a millisecond counts as sleeping.
const SPINS = 200;
// Time that a board which resets itself waits for Ctrl-C, in milliseconds: a main.py may do nothing but reset.
const RESET_TAKES = 100;
// Heap that a board with a machine's memory starts with, and by which it grows until it has started, in bytes.
const MACHINE_HEAP = 64 * 1024;
// Ends any sleep: the port waits until the clock has advanced this far.
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
  /** True while the line in raw mode is empty: only there is Ctrl-E a command. */
  #atLineStart = true;
  /** Number of received bytes of {@link QUESTION}. */
  #asked = 0;
  #paste;
  /** Number of bytes left to suppress of the port's "OK", which raw-paste mode lacks. */
  #unsaid = 0;
  #isDeafToCtrlC = false;
  #now = 0;
  #spins = 0;
  /** Machine that the board imitates, with its pins; `undefined` for a board without pins. */
  #machine;
  #bridge;
  /** Limit of a machine's memory, once the board has started. */
  #limit;
  #isAttending = false;
  /** True while a reset by a timer or a pin is pending: the running program ends meanwhile, and prints nothing. */
  #isEnding = false;

  constructor({ load, module, heapSize, files, output, keyboard, shared, post, machine, inputs }) {
    this.#load = load;
    this.#module = module;
    this.#heapSize = heapSize;
    this.#files = files;
    this.#output = output;
    this.#keyboard = keyboard;
    this.#shared = shared;
    this.#post = post;
    this.#machine = machine && MACHINES[machine];
    this.#bridge = this.#machine && new Bridge(inputs, post, (text) => this.#output.text(text.replaceAll("\n", "\r\n")));
  }

  /** Powers on: runs boot.py, main.py and the prompt. */
  async powerOn() {
    await this.#start();
    await this.#boot();
  }

  /** Runs boot.py, main.py and the prompt, and repeats this while one of them ends with a reset. */
  async #boot() {
    while (!(this.#runFile("/boot.py") && (this.#mode === "raw" || this.#runFile("/main.py")))) {
      this.#isEnding = false;
      this.#shared?.doze(RESET_TAKES);
      if (this.#wasInterrupted()) break;
      await this.#restart();
    }
    if (this.#mode === "raw") return this.#intoRaw();
    this.#python.replInit();
  }

  /** Resumes after the page had to end the worker, like a board that was interrupted. */
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

  /** Takes one byte of input. Returns a promise only if the board resets itself. */
  feed(byte) {
    return this.#take(byte) ?? this.#endIfWanted();
  }

  #take(byte) {
    if (this.#paste) return this.#takePaste(byte);
    if (this.#isAsked(byte)) return undefined;
    const result = this.#type(byte);
    // Each of Ctrl-A to Ctrl-D ends the line in raw mode.
    this.#atLineStart = byte >= CTRL_A && byte <= CTRL_D;
    if (byte === CTRL_A && this.#output.endsWith(RAW_BANNER)) this.#enter("raw");
    if (byte === CTRL_B && this.#mode === "raw") this.#enter("normal");
    return result & FORCED_EXIT ? this.#softReset() : undefined;
  }

  /** Acts like `replProcessChar`, without the cost of a call by name for each byte. */
  #type(byte) {
    // What was typed before has been put on the heap, too.
    if (byte === CTRL_D || byte === ENTER) this.#limit?.begin();
    return this.#python._module._mp_js_repl_process_char(byte);
  }

  /** Detects a request for raw-paste mode, which is our own: the port's would read its stub of a stdin forever. */
  #isAsked(byte) {
    const mayAsk = this.#mode === "raw" && (this.#asked > 0 || this.#atLineStart);
    if (!mayAsk || byte !== QUESTION[this.#asked]) {
      if (this.#asked === 2) this.#python.replProcessChar(QUESTION[1]);
      this.#asked = 0;
      return false;
    }
    this.#asked = (this.#asked + 1) % QUESTION.length;
    if (this.#asked === 0) this.#paste = new Paste(this.#output);
    return true;
  }

  #takePaste(byte) {
    if (this.#paste.take(byte) === undefined) return undefined;
    const { program } = this.#paste;
    this.#paste = undefined;
    this.#output.put(CTRL_D);
    if (byte === CTRL_C) return void this.#output.text("\x04Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n\x04>");
    for (const one of program) this.#type(one);
    this.#unsaid = 2;
    return this.#type(CTRL_D) & FORCED_EXIT ? this.#softReset() : undefined;
  }

  /** Brings the page up to date when the board is idle. */
  rest() {
    this.#bridge?.flush(performance.now());
    this.saveFiles();
  }

  saveFiles() {
    const changes = this.#watch.changes();
    if (changes) this.#post({ type: "files", ...changes }, changes.changed.flatMap(([, part]) => part?.bytes.buffer ?? []));
    this.#filesAt = performance.now();
  }

  /** Applies changes from outside, without reporting them back. */
  takeFiles(changes) {
    this.saveFiles();
    merge(this.#python.FS, changes);
    this.#watch.changes();
  }

  /** Performs the reset that a timer or a pin has requested, once nothing runs. */
  #endIfWanted() {
    return this.#isEnding && !this.#isRunning() ? this.#softReset() : undefined;
  }

  async #softReset() {
    this.#isEnding = false;
    await this.#restart();
    await this.#boot();
  }

  async #restart() {
    this.saveFiles();
    this.#files = snapshotOf(this.#python.FS);
    this.#post({ type: "booting" });
    this.#output.text("MPY: soft reboot\r\n");
    await this.#start();
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
    const imports = { ticks: () => this.#ticks(), resize: (grow, size) => grow(size), look: () => this.#look(), print: (memory, from, to) => this.#print(memory, from, to), mayAdd: () => this.#mayAdd(), keyboard };
    this.#limit = undefined;
    this.#python = await withImports(this.#module, imports, () =>
      // The module is already compiled; the address is never read.
      this.#load({ url: "data:application/wasm,", heapsize: this.#machine ? MACHINE_HEAP : this.#heapSize }),
    );
    const memory = limitMemory(this.#python._module);
    imports.resize = (grow, size) => (memory.isOurs || size <= MOST_MEMORY ? grow(size) : this.#refuse());
    this.#noteCtrlC(false);
    makeDevices(this.#python.FS, { read: (into) => this.#read(into), write: (memory, from, to) => this.#write(memory, from, to) });
    limitNames(this.#python.FS);
    restore(this.#python.FS, this.#files);
    this.#files = undefined; // From here on they are in the file system, and changed there.
    this.#makeMachine();
    limitSpace(this.#python.FS, this.#machine?.disk);
    this.#watch = new FileWatch(this.#python.FS);
    this.#python.registerJsModule("_keyboard", keyboard);
    // With names of their own, as their lines would otherwise look like the program's in a traceback. A JSON string is
    // also a Python string.
    const run = (code, name) => this.#python.runPython(`exec(compile(${JSON.stringify(code)}, "${name}", "exec"))`);
    run(SETUP, "input");
    run(ASYNCIO, "asyncio/core.py");
    if (this.#machine) run(`import sys\nsys.path.append("${FOLDER}")\n__import__("machine")`, "machine");
    memory.isOurs = false;
    if (this.#machine) this.#limit = new MemoryLimit(new LiveMemory(imports.exports), this.#machine.memory.free);
  }

  /** Returns the number of bytes by which the interpreter may enlarge its heap. */
  #mayAdd() {
    if (this.#limit) return this.#limit.mayAdd();
    return this.#machine ? MACHINE_HEAP : UNLIMITED;
  }

  /** Puts the machine's files where a program finds them, and clears the drawing. */
  #makeMachine() {
    this.#bridge?.clear();
    if (!this.#machine) return;
    const { FS } = this.#python;
    FS.mkdirTree(FOLDER);
    for (const [name, text] of Object.entries(this.#machine.files)) FS.writeFile(`${FOLDER}/${name}.py`, text);
  }

  /** Returns the only part of JavaScript that a program can reach. */
  #keyboardModule() {
    return hollow({
      readline: (isEchoed) => this.#readline(isEchoed),
      letter: () => this.#letter(),
      wait: (millis) => this.#waitForKey(millis),
      sleep: (millis) => this.#sleep(millis),
      typed: () => this.#typed(),
      waits: this.#shared !== undefined,
      ticks: () => Math.floor(performance.now()) | 0,
      heap: this.#machine?.memory.heap ?? 0,
      free: () => this.#limit?.free ?? 0,
      ...this.#bridge?.members,
    });
  }

  /** Runs a file of the board, if it exists; returns `false` if the board has to restart. */
  #runFile(path) {
    const name = path.slice(1);
    if (!this.#python.FS.analyzePath(path).exists) return true;
    this.#runsFile = true;
    this.#limit?.begin();
    try {
      this.#python.runPython(`exec(compile(open("${path}").read(), "${name}", "exec"))`);
    } catch (error) {
      if (this.#isEnding || error.type === "SystemExit") return false;
      // The first frame is the line above.
      const text = error.message.replace('  File "<stdin>", line 1, in <module>\n', "");
      this.#output.text(text.replaceAll("\n", "\r\n"));
    } finally {
      this.#runsFile = false;
    }
    return !this.#isEnding;
  }

  /** Handles the port's output, which is a section of its memory: the prompt, or a program's `print()`. */
  #print(memory, from, to) {
    if (this.#isDeafToCtrlC) this.#noteCtrlC(false);
    if (this.#isEnding) return this.#putEnds(memory, from, to);
    if (this.#isRunning() && this.#unsaid === 0) return this.#putAll(memory, from, to);
    for (let at = from; at < to; at++) this.#put(memory[at]);
  }

  /** Prints only the bytes of discarded output that end the output and the error, for which a host waits. */
  #putEnds(memory, from, to) {
    for (let at = from; at < to; at++) if (this.#mode === "raw" && memory[at] === CTRL_D) this.#output.put(CTRL_D);
  }

  /** Handles a program's output to `sys.stdout`. */
  #write(memory, from, to) {
    this.#noteCtrlC();
    if (this.#isEnding) return;
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
    // The program that starts now may never yield to us again.
    if (this.#mode === "raw" && !this.#isRunning() && this.#output.endsWith("OK")) this.#output.flush();
  }

  /** Drops a byte of the port's "OK". The program that starts after it may never yield to us again. */
  #leaveOut() {
    this.#unsaid -= 1;
    if (this.#unsaid === 0) this.#output.flush();
  }

  /** Runs whenever the program yields to us: on output, when it reads the clock, or after a number of backward jumps. */
  #breathe() {
    this.#catchUp();
    if (!this.#takeInterrupt()) return false;
    this.#python._module._mp_sched_keyboard_interrupt();
    return true;
  }

  /** Returns the milliseconds until the board has something to do by itself. */
  untilDue() {
    return this.#bridge?.untilDue(performance.now()) ?? Infinity;
  }

  /** Runs timers and pin interrupts at the prompt. Returns a promise only if the board resets itself. */
  attendAtPrompt(input) {
    if (input) this.#bridge?.take(input);
    this.#attend();
    return this.#endIfWanted();
  }

  /** Runs regularly in a program's loops. */
  #look() {
    // A program that has enabled Ctrl-C again may never sleep, read or print.
    if (this.#isDeafToCtrlC) this.#noteCtrlC();
    if (this.#attend()) this.#python._module._mp_sched_keyboard_interrupt();
    this.#breathe();
  }

  /**
   * Runs the due functions of timers and pins. Returns true if the program has to be interrupted: by a Ctrl-C that
   * ended one of them, or by a reset.
   */
  #attend() {
    if (this.#isAttending || !this.#bridge || this.#bridge.untilDue(performance.now()) > 0) return false;
    this.#isAttending = true;
    try {
      const how = this.#bridge.attend();
      if (how === RESET) this.#isEnding = true;
      return how === RESET || how === CUT_OFF;
    } finally {
      this.#isAttending = false;
    }
  }

  #catchUp() {
    const now = performance.now();
    this.#output.breathe(now);
    this.#bridge?.breathe(now);
    if (this.#python && now - this.#filesAt >= FILES_EVERY) this.saveFiles();
  }

  /**
   * Returns true if Ctrl-C was pressed, in which case the caller has to raise it. A scheduled exception would only be
   * raised one statement later.
   */
  #takeInterrupt() {
    if (!this.#isRunning()) return false;
    return this.#isEnding || this.#wasInterrupted();
  }

  #wasInterrupted() {
    if (!this.#shared?.takeInterrupt()) return false;
    this.#post({ type: "interrupted" });
    return true;
  }

  /**
   * Refuses a program more memory. If it ignored an interrupt so far, it has been in C for long: the page then ends it,
   * and no other end is reported.
   */
  #refuse() {
    if (this.#isRunning()) this.#shared?.awaitTaken();
    return 0;
  }

  /** Returns true if a program can be interrupted, rather than just a prompt that echoes. */
  #isRunning() {
    return this.#runsFile || this.#isAttending || this.#python?._module._mp_hal_get_interrupt_char() === CTRL_C;
  }

  /**
   * Updates how the page treats Ctrl-C: for a program that disabled it (`micropython.kbd_intr(-1)`), it is a byte like
   * any other. The prompt disables it, too, but never comes here; and the page gets no output before this is updated.
   * The port also disables it for what JavaScript runs, which is boot.py, main.py, and functions of timers and pins:
   * those are interrupted all the same.
   */
  #noteCtrlC(isData = !this.#runsFile && !this.#isAttending && this.#python._module._mp_hal_get_interrupt_char() < 0) {
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

  /**
   * Waits for input, at most this many milliseconds, or forever if negative; returns {@link TYPED}, {@link NOTHING} or
   * {@link INTERRUPTED}.
   */
  #waitForKey(millis) {
    this.#noteCtrlC();
    this.#output.flush();
    const end = millis < 0 ? Infinity : performance.now() + millis;
    while (!this.#keyboard.hasTyped) {
      if (this.#attend()) return INTERRUPTED;
      this.#catchUp();
      if (this.#takeInterrupt()) return INTERRUPTED;
      const left = end - performance.now();
      if (!this.#shared || left <= 0) return NOTHING;
      this.#shared.awaitTyped(Math.min(left, LOOK_EVERY));
    }
    return TYPED;
  }

  /** Sleeps; returns {@link INTERRUPTED} or {@link NOTHING}. */
  #sleep(millis) {
    this.#noteCtrlC();
    const end = performance.now() + millis;
    for (let left = millis; ; left = end - performance.now()) {
      if (this.#attend()) return INTERRUPTED;
      this.#catchUp();
      if (this.#takeInterrupt()) return INTERRUPTED;
      if (left <= 0) return NOTHING;
      this.#shared?.doze(Math.min(left, FILES_EVERY, Math.max(1, this.untilDue())));
    }
  }

  /**
   * Returns a typed character, with line ends as boards read them (MicroPython 1.29, shared/runtime/sys_stdio_mphal.c);
   * `false` if no input can come, `null` after Ctrl-C.
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

  /** Returns the input unchanged; nothing after a short wait, as an interrupt that was already taken may be pending. */
  #read(into) {
    const news = this.#waitForKey(LOOK_EVERY);
    if (news === INTERRUPTED) this.#python._module._mp_sched_keyboard_interrupt();
    return news === TYPED ? this.#keyboard.takeInto(into) : 0;
  }

  /** Returns the unread input without waiting, for the hooks of a debugger. */
  #typed() {
    const bytes = [];
    for (let byte = this.#keyboard.take(); byte >= 0; byte = this.#keyboard.take()) bytes.push(byte);
    return new TextDecoder().decode(new Uint8Array(bytes));
  }

  /**
   * Returns a line; `false` if no input can come, `null` after Ctrl-C. Boards echo what `input()` reads, and nothing
   * else.
   */
  #readline(isEchoed) {
    const line = [];
    let isTold = false;
    const echo = (text) => isEchoed && this.#output.text(text);
    for (;;) {
      const byte = this.#keyboard.take();
      if (byte < 0) {
        this.#output.flush();
        if (this.#shared && !isTold) this.#post({ type: "awaiting" });
        isTold = true;
        const news = this.#waitForKey(-1);
        if (news !== TYPED) return news === INTERRUPTED ? null : false;
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

/** Returns the length of the UTF-8 sequence that begins with this byte (RFC 3629, section 3). */
function lengthOfLetter(byte) {
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
