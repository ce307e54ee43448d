// A board behind the same streams as a serial port: MicroPython in a worker, which `spawn` creates.

import { named } from "../named.js";
import { apply } from "./files.js";
import { MACHINE_FOLDERS } from "./machine.js";
import { Changes } from "./pins/changes.js";
import { Inputs } from "./pins/inputs.js";
import { Shared } from "./shared.js";

const CTRL_C = 0x03;
// Time that a program has to notice Ctrl-C before the worker is ended: a loop in C, such as sum(), never notices, and a
// program that starts on a busy machine takes its time. Without shared memory no program notices; then IDLE_TIMEOUT is
// the time limit for anything but a program, such as an empty line.
const NOTICE_TIMEOUT = 2000;
const IDLE_TIMEOUT = 500;
// On a busy machine, even a worker with little to do may have to wait.
const BUSY_TIMEOUT = 3000;
const POLL = 4;
// Time for which input waits for room. A board on USB loses what its program does not read, too.
const ROOM_TIMEOUT = 5000;
// Time that a worker has to load. It is fetched already, but a busy machine may take long to start it.
export const START_TIMEOUT = 60_000;

export class WorkerBoard {
  #spawn;
  #setup;
  #files;
  #listeners;
  /** Buttons and sliders of the drawn board. */
  #inputs;
  /** True if an input changed and the worker may not have seen it. */
  #hasInput = false;
  /** Changes of the drawn board that were not reported yet: they are sent once the previous ones were processed. */
  #undrawn = new Changes();
  #isDrawing = false;
  #shared;
  #worker;
  #mode;
  #booting = true;
  #restarts = 0;
  #ready = false;
  /** Timer of {@link START_TIMEOUT}. */
  #starting;
  /** Number of messages that the worker has not answered with "idle" yet. */
  #unanswered = 0;
  #failure;
  #watchers = new Set();
  /** Unread output of the board, each part with the memory in which it is counted: a restart has its own. */
  #printed = [];
  #controller;

  label = "Browser board";
  machineFolders = MACHINE_FOLDERS;
  framed = false;

  /** `setup` is passed to each worker unchanged; `files` is a snapshot, and becomes this board's own. */
  constructor(spawn, setup, files, listeners) {
    this.#spawn = spawn;
    this.#setup = setup;
    this.#files = files;
    this.#listeners = listeners;
    if (setup.machine) this.#inputs = new Inputs();
    // Node shares memory between its threads, and does not define `crossOriginIsolated`.
    if (globalThis.crossOriginIsolated ?? typeof Worker === "undefined") this.#shared = new Shared();
    const source = {
      start: (controller) => (this.#controller = controller),
      pull: () => this.#handOut(),
      cancel: () => this.#stop(),
    };
    // Nothing is taken before it is wanted, so that a board with unread output has to wait.
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
    // Input may wait for a restart, so chunks are taken one at a time.
    this.writable = new WritableStream({
      write: (chunk) => this.#write(chunk),
      close: () => this.#stop(),
      abort: () => this.#stop(),
    });
    this.#start({});
  }

  get isolated() {
    return this.#shared !== undefined;
  }

  get restarts() {
    return this.#restarts;
  }

  files() {
    return new Map([...this.#files].filter(([, bytes]) => bytes !== null));
  }

  /** Changes an input of the drawn board, as a person does. */
  setInput(input) {
    if (this.#failure || !this.#inputs?.set(input)) return;
    if (!this.#shared) return this.#post({ type: "input", input });
    this.#shared.wake();
    // A busy worker looks at the shared memory; one at its prompt needs a message.
    if (this.#unanswered === 0) this.#post({ type: "input" });
    else this.#hasInput = true;
  }

  takeFiles({ changed, removed }) {
    if (this.#failure) return;
    for (const path of removed) this.#files.delete(path);
    for (const [path, bytes] of changed) this.#files.set(path, bytes && bytes.slice());
    this.#post({ type: "files", changed, removed });
  }

  async close() {
    this.#stop();
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  /** Resolves once the worker has loaded; a main.py may run forever. */
  async whenReady() {
    await this.#until(() => this.#ready);
  }

  #start(state) {
    const worker = this.#spawn();
    worker.onmessage = ({ data }) => {
      // The remaining output of an ended worker is dropped.
      if (worker === this.#worker) this.#receive(data);
    };
    worker.onerror = (event) => {
      if (worker === this.#worker) this.#fail(event.message || "its worker could not be loaded");
    };
    this.#worker = worker;
    this.#ready = false;
    clearTimeout(this.#starting);
    this.#starting = setTimeout(() => this.#fail("its worker did not start"), START_TIMEOUT);
    this.#unanswered = 0;
    this.#post({ type: "start", ...this.#setup, files: this.#files, buffer: this.#shared?.buffer, inputs: this.#inputs?.buffer, ...state });
  }

  #post(message) {
    this.#unanswered += 1;
    this.#worker.postMessage(message);
  }

  #receive(message) {
    switch (message.type) {
      case "output":
        this.#printed.push({ bytes: message.bytes, shared: this.#shared });
        break;
      case "files":
        apply(this.#files, message);
        this.#listeners.onFiles?.({ changed: new Map(message.changed.map(([path]) => [path, this.#files.get(path)])), removed: message.removed });
        this.#listeners.onParts?.(message);
        break;
      case "pins":
        for (const [part, value] of message.changes) this.#undrawn.note(part, value);
        void this.#draw();
        break;
      case "busy":
        this.#unanswered += 1;
        break;
      case "awaiting":
        this.#listeners.onInputAwaited?.();
        break;
      case "mode":
        this.#mode = message.mode;
        break;
      case "ready":
        this.#ready = true;
        clearTimeout(this.#starting);
        break;
      case "booting":
        this.#booting = true;
        break;
      case "idle":
        this.#unanswered -= 1;
        this.#booting = false;
        if (this.#unanswered > 0) break;
        if (this.#hasInput) this.#post({ type: "input" });
        this.#hasInput = false;
        if (this.#shared?.hasTyped) this.#post({ type: "typed" });
        break;
      case "failed":
        this.#fail(message.message);
        break;
    }
    for (const watcher of [...this.#watchers]) watcher(message.type);
  }

  async #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    try {
      while (this.#undrawn.size > 0 && !this.#failure) await this.#listeners.onPins?.(this.#undrawn.take());
    } finally {
      this.#isDrawing = false;
    }
  }

  async #handOut() {
    await this.#until(() => this.#printed.length > 0);
    const part = this.#printed.shift();
    if (part === undefined) return;
    this.#controller.enqueue(part.bytes);
    part.shared?.received(part.bytes.length);
  }

  async #write(chunk) {
    if (this.#shared?.ctrlCIsData) return this.#type(chunk);
    const wasIdle = this.#unanswered === 0;
    for (let from = 0; ; ) {
      const at = chunk.indexOf(CTRL_C, from);
      await this.#type(chunk.subarray(from, at < 0 ? undefined : at));
      if (at < 0) return;
      await this.#interrupt(wasIdle && at > 0);
      from = at + 1;
    }
  }

  async #type(bytes) {
    if (this.#failure) throw this.#failure;
    if (bytes.length === 0) return;
    if (!this.#shared) return this.#post({ type: "typed", bytes });
    for (let sent = 0, waited = 0; ; await sleep(POLL)) {
      const taken = this.#shared.type(bytes.subarray(sent));
      sent += taken;
      waited = taken > 0 ? 0 : waited + POLL;
      if (this.#unanswered === 0) this.#post({ type: "typed" });
      // The rest is dropped, so that a Ctrl-C behind it gets its turn.
      if (sent === bytes.length || this.#failure || waited >= ROOM_TIMEOUT) return;
    }
  }

  /**
   * Sends Ctrl-C: a byte like any other for a prompt, the end for a program. A worker that was idle and got a message
   * `justNow` is more likely short of processor time than running an endless program.
   */
  async #interrupt(justNow) {
    await this.#until(() => this.#ready);
    if (this.#unanswered > 0) {
      this.#shared?.requestInterrupt();
      const how = await this.#notice(justNow ? BUSY_TIMEOUT : this.#shared ? NOTICE_TIMEOUT : IDLE_TIMEOUT);
      if (how === "interrupted") return;
      if (how === undefined) return this.#restart();
      // It was a prompt after all, unless the request was taken meanwhile.
      if (this.#shared && !this.#shared.takeInterrupt()) return;
    }
    await this.#type(new Uint8Array([CTRL_C]));
  }

  /** Waits at most that long for a sign from the worker that it awaits input or was interrupted. */
  async #notice(timeout) {
    let how;
    const noticed = (type) => {
      if (this.#failure) return true;
      if (type === "interrupted") how = type;
      else if (this.#unanswered === 0) how = "idle";
      return how !== undefined;
    };
    await Promise.race([this.#until(noticed), sleep(timeout)]);
    return how;
  }

  #restart() {
    this.#worker.terminate();
    this.#restarts += 1;
    this.#listeners.onRestarted?.();
    this.#undrawn.clear();
    void this.#draw();
    if (this.#shared) this.#shared = new Shared();
    this.#start({ mode: this.#mode ?? "normal", wasBooting: this.#booting });
  }

  #until(holds) {
    return new Promise((resolve) => {
      const watcher = (type) => {
        if (!holds(type) && !this.#failure) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  #fail(message) {
    if (this.#failure) return;
    this.#failure = named("LinkError", `the browser's board failed: ${message}`);
    this.#end();
    this.#controller.error(this.#failure);
    for (const watcher of [...this.#watchers]) watcher();
  }

  #end() {
    clearTimeout(this.#starting);
    this.#worker.terminate();
  }

  #stop() {
    if (this.#failure) return;
    this.#failure = named("LinkError", "the browser's board was closed");
    this.#end();
    try {
      this.#controller.close();
    } catch {
      // The reader has already closed it.
    }
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
