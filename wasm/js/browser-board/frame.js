// A board in a frame without an origin (`sandbox="allow-scripts"`), so that a program that escapes from the interpreter
// and its worker reaches nothing: no storage, no network, no serial port and nothing of the page. Page and frame share
// one message channel, and its messages are checked like untrusted input.

import { named } from "../named.js";
import { START_TIMEOUT } from "./board.js";
import { BOOT, BOOT_HASH } from "./boot.js";
import { apply } from "./files.js";
import { MACHINE_FOLDERS } from "./machine.js";
import { arePins } from "./pins/bridge.js";

const POLICY = `default-src 'none'; script-src '${BOOT_HASH}' 'wasm-unsafe-eval'; worker-src blob:`;
const DOCUMENT = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${BOOT}</script>`;
/** Time that a loaded frame has for the message of its first script, in milliseconds: a page whose policy forbids the script is not notified. */
const MESSAGE_TIMEOUT = 5000;
/** Message of the boot script about a worker that failed without a message of its own, as one does that the page's policy forbids. */
const NOT_LOADED = "its worker could not be loaded";
/** Maximum length of a path from a board, in characters. */
const LONGEST_PATH = 4096;
/** Time after which a board that has not taken its input is asked for a sign of life, in milliseconds, and time that it has for one. */
const [ASKED_AFTER, ALIVE_WITHIN] = [1000, 6000];
/** Number of frames that are tried, one after the other. The last one may be as slow as its computer. */
const ATTEMPTS = 3;

/**
 * Opens a frame in which `host`, a text, runs in a worker; returns the port to it, and a function that removes the
 * frame. Rejects with a `FrameRefusedError` if the page's policy forbids the frame's script, and with a `LinkError` if it is late for
 * another reason: a board on a busy computer keeps its walls.
 */
export async function openFrame(host) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.allow = "cross-origin-isolated; serial 'none'";
  frame.hidden = true;
  frame.srcdoc = DOCUMENT;
  const failure = new AbortController();
  const news = (wanted) =>
    new Promise((resolve) => {
      const listen = ({ source, data }) => source === frame.contentWindow && data?.[wanted] && resolve(data[wanted]);
      addEventListener("message", listen, { signal: failure.signal });
    });
  const remove = () => (failure.abort(), frame.remove());
  const failed = news("failed").then((message) => Promise.reject(new Error(message)));
  failed.catch(() => {});
  const here = news("here");
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  try {
    await inTime(Promise.race([here, loaded]), START_TIMEOUT, late("the frame of the browser's board was not loaded"));
    await inTime(here, MESSAGE_TIMEOUT, refused("its script"));
    const { port1: port, port2 } = new MessageChannel();
    frame.contentWindow.postMessage(host, "*", [port2]);
    return { port, failed, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Waits for the frame's worker, which a page's policy may forbid, too. A worker that fails for another reason leaves the walls in place. */
async function hostStarts({ port, failed, remove }) {
  const alive = new Promise((resolve) => (port.onmessage = resolve));
  port.postMessage({ type: "ping" });
  const isDown = failed.catch(({ message }) => Promise.reject(message === NOT_LOADED ? refused("its worker") : broken(message)));
  const started = Promise.race([alive, isDown]);
  try {
    await inTime(started, START_TIMEOUT, late("the worker of the browser's board did not start"));
  } catch (error) {
    remove();
    throw error;
  }
}

/** Returns what the work comes to, or rejects with the error if it takes longer than `millis`. */
async function inTime(work, millis, error) {
  const done = await within(millis, work);
  if (done === LATE) throw error;
  return done;
}

const refused = (part) => named("FrameRefusedError", `the page's policy does not let the frame of the browser's board run ${part}`);

const broken = (why) => named("LinkError", `the worker of the browser's board failed: ${why}; reload the page`);

const late = (why) => named("LinkError", `${why} within ${START_TIMEOUT / 1000} s; close what keeps the computer busy, and try again`);

/**
 * Opens a board in a frame. `host` and `code`, which contains MicroPython's code and ours, are texts, `wasm` is bytes. A frame whose
 * worker stops answering before the board is open is replaced: in Firefox 153 a worker now and then waits for good where it makes one of
 * its own.
 */
export async function openFramed(texts, setup, files, listeners) {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    const link = await startFramed(texts, setup, files, listeners);
    if (await link.opens()) return link;
  }
  const link = await startFramed(texts, setup, files, listeners);
  await inTime(link.opened, START_TIMEOUT, late("the browser's board did not start"));
  return link;
}

async function startFramed(texts, { wasm, heapSize, machine }, files, listeners) {
  const frame = await openFrame(texts.host);
  await hostStarts(frame);
  const link = new FramedBoard(frame, new Map(files), listeners);
  frame.port.postMessage({ type: "open", code: texts.code, wasm, heapSize, machine, files });
  return link;
}

class FramedBoard {
  #frame;
  #files;
  #listeners;
  #isolated = false;
  #restarts = 0;
  #failure;
  #controller;
  /** Unanswered requests, at most one of each kind. */
  #waiting = { opened: undefined, output: undefined, written: undefined, alive: undefined };

  label = "Browser board";
  machineFolders = MACHINE_FOLDERS;
  framed = true;

  constructor(frame, files, listeners) {
    this.#frame = frame;
    this.#files = files;
    this.#listeners = listeners;
    frame.failed.catch((error) => this.#fail(`in its frame: ${error.message}`));
    frame.port.onmessage = ({ data }) => this.#receive(data);
    frame.port.onmessageerror = () => this.#fail("it sent what cannot be read");
    this.opened = this.#answer("opened");
    const source = {
      start: (controller) => (this.#controller = controller),
      pull: () => this.#ask("output", { type: "read" }),
      cancel: () => this.#stop(),
    };
    this.readable = new ReadableStream(source, { highWaterMark: 0 });
    this.writable = new WritableStream({
      write: (bytes) => this.#watched(this.#ask("written", { type: "write", bytes })),
      close: () => this.#stop(),
      abort: () => this.#stop(),
    });
  }

  get isolated() {
    return this.#isolated;
  }

  get restarts() {
    return this.#restarts;
  }

  files() {
    return new Map([...this.#files].filter(([, bytes]) => bytes !== null));
  }

  takeFiles({ changed, removed }) {
    if (this.#failure) return;
    for (const path of removed) this.#files.delete(path);
    for (const [path, bytes] of changed) this.#files.set(path, bytes && bytes.slice());
    this.#frame.port.postMessage({ type: "take", changes: { changed, removed } });
  }

  setInput(input) {
    if (!this.#failure) this.#frame.port.postMessage({ type: "input", input });
  }

  async close() {
    this.#stop();
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }

  #answer(kind) {
    return new Promise((resolve, reject) => (this.#waiting[kind] = { resolve, reject }));
  }

  #ask(kind, question) {
    if (this.#failure) throw this.#failure;
    const answer = this.#answer(kind);
    this.#frame.port.postMessage(question);
    return answer;
  }

  /** Resolves to true once the board is open, and to false when its worker has stopped answering before, and the frame is removed. */
  async opens() {
    while ((await within(ASKED_AFTER, this.opened)) === LATE) {
      if (await this.#isAlive(this.opened)) continue;
      this.#stop();
      return false;
    }
    return true;
  }

  /**
   * Ends the board if it shows no sign of life while input is written. Browsers do not tell a page when a frame's process has ended:
   * it would wait for good.
   */
  async #watched(writing) {
    while ((await within(ASKED_AFTER, writing)) === LATE) if (!(await this.#isAlive(writing))) this.#fail("it shows no sign of life");
  }

  /** Asks the worker for a sign of life, and returns true if it gives one in time, or the work is done. */
  async #isAlive(work) {
    const alive = this.#ask("alive", { type: "ping" });
    return (await within(ALIVE_WITHIN, Promise.race([work, alive]))) !== LATE;
  }

  #receive(message) {
    if (this.#failure) return;
    switch (message?.type) {
      case "opened":
        this.#isolated = message.isolated === true;
        return this.#resolve("opened");
      case "output":
        if (!(message.bytes instanceof Uint8Array) || !this.#waiting.output) break;
        this.#controller.enqueue(message.bytes);
        return this.#resolve("output");
      case "written":
        return this.#resolve("written");
      case "alive":
        return this.#resolve("alive");
      case "files":
        if (!areChanges(message)) break;
        apply(this.#files, message);
        return this.#listeners.onFiles?.({ changed: new Map(message.changed.map(([path]) => [path, this.#files.get(path)])), removed: message.removed });
      case "pins":
        if (!arePins(message.changes)) break;
        return void this.#draw(message.changes);
      case "awaiting":
        return this.#listeners.onInputAwaited?.();
      case "restarted":
        this.#restarts += 1;
        return this.#listeners.onRestarted?.();
      case "ended":
        return this.#stop();
      case "failed":
        return this.#fail(String(message.message).replace(FAILED, ""));
    }
    this.#fail("it sent what no board sends");
  }

  /** Draws changes. The board sends the next ones only after these were processed. */
  async #draw(changes) {
    try {
      await this.#listeners.onPins?.(changes);
    } finally {
      if (!this.#failure) this.#frame.port.postMessage({ type: "drawn" });
    }
  }

  #resolve(kind) {
    this.#waiting[kind]?.resolve();
    this.#waiting[kind] = undefined;
  }

  #fail(message) {
    if (this.#failure) return;
    this.#failure = named("LinkError", `${FAILED}${message}`);
    this.#controller?.error(this.#failure);
    this.#end();
  }

  #stop() {
    if (this.#failure) return;
    this.#failure = named("LinkError", "the browser's board was closed");
    try {
      this.#controller.close();
    } catch {
      // The reader has already closed it.
    }
    this.#end();
  }

  /** Ends the board: the frame's workers end with its document. */
  #end() {
    this.#frame.port.close();
    this.#frame.remove();
    // A read in progress has ended with the stream.
    this.#waiting.output?.resolve();
    this.#waiting.alive?.resolve();
    for (const kind of ["opened", "written"]) this.#waiting[kind]?.reject(this.#failure);
  }
}

const FAILED = "the browser's board failed: ";

const LATE = Symbol("late");

/** Returns what the work comes to, or {@link LATE} if it takes longer than `millis`. */
function within(millis, work) {
  return Promise.race([work, new Promise((resolve) => setTimeout(resolve, millis, LATE))]);
}

/** Returns true for valid changes of files from a board (`FileWatch`). */
function areChanges({ changed, removed }) {
  return Array.isArray(changed) && changed.every(isChange) && Array.isArray(removed) && removed.every(isPath);
}

function isChange(change) {
  if (!Array.isArray(change) || !isPath(change[0])) return false;
  const part = change[1];
  return part === null || (part?.bytes instanceof Uint8Array && Number.isSafeInteger(part.from) && part.from >= 0);
}

function isPath(path) {
  return typeof path === "string" && path.startsWith("/") && path.length <= LONGEST_PATH;
}
