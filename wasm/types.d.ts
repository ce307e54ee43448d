/// <reference lib="esnext.disposable" />

/**
 * Flylead: talk to MicroPython boards from a page, a worker or Node.
 *
 * ```ts
 * import { Board, init, openSerial } from "flylead";
 *
 * await init();
 * const board = Board.attach(await openSerial());
 * const { stdout } = await board.exec("print(6 * 7)");
 * await board.close();
 * ```
 *
 * This file is written by hand and is the whole public API. Times are milliseconds. Promises give one answer,
 * async iterables many; refusals are `Error`s with a stable `name` (see {@link FlyleadError}).
 */

/** Where the package finds its WebAssembly. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the WebAssembly, once; call it before anything of {@link Board}. Without an argument it takes the file that
 * lies beside the package's code (in Node from the disk, elsewhere by `fetch`).
 */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

// ---------------------------------------------------------------------------------------------------------------
// Links

/**
 * The bytes to and from a board. An open Web Serial port is one; {@link openSerial}, {@link openSocket} and
 * {@link openBrowserBoard} make one; in Node, `Readable.toWeb` and `Writable.toWeb` do.
 */
export interface Link {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
}

/** A link that this package opened, so it can close it too. */
export interface OpenLink extends Link {
  /** What to call it in a list: `Web Serial 2e8a:0005`, `ws://192.168.4.1:8266`, `Browser board`. */
  readonly label: string;
  /** Closes it. Close the {@link Board} first: a link cannot close while its streams are locked. Never rejects. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What this package uses of Web Serial's `SerialPort`; a real one fits. */
export interface SerialDevice extends Link {
  getInfo(): { usbVendorId?: number; usbProductId?: number };
  open(options: { baudRate: number; bufferSize?: number }): Promise<void>;
  close(): Promise<void>;
  forget(): Promise<void>;
  setSignals(signals: { dataTerminalReady?: boolean; requestToSend?: boolean; break?: boolean }): Promise<void>;
}

/** Which devices to offer; USB ids. */
export interface SerialFilter {
  usbVendorId?: number;
  usbProductId?: number;
}

export interface SerialOptions {
  /** The port to open; without it, the browser asks the person to choose, which needs a click or a key press. */
  port?: SerialDevice;
  /** Which devices the browser offers. Default: all. */
  filters?: SerialFilter[];
  /** Default 115200; USB boards do not care. */
  baudRate?: number;
  /** Bytes that the browser keeps for us. Default 65536; the browser's own default of 255 is slow. */
  bufferSize?: number;
}

export interface SerialLink extends OpenLink {
  readonly port: SerialDevice;
}

/** Whether this browser has Web Serial, here (it needs `https:` or localhost). */
export function hasSerial(): boolean;

/**
 * Opens a Web Serial port. DTR and RTS are left alone, so a board does not reset.
 * Rejects with {@link UnsupportedError}, {@link CancelledError} when the person chooses none, {@link LinkError}.
 */
export function openSerial(options?: SerialOptions): Promise<SerialLink>;

/** The ports that this page may open without asking, in no stable order. */
export function serialPorts(filters?: SerialFilter[]): Promise<SerialDevice[]>;

/** Calls `listener` whenever a board that this page may use is plugged in; the answer ends that. */
export function onSerialConnect(listener: (port: SerialDevice) => void): () => void;

/** Calls `listener` whenever a board that this page may use is pulled out; the answer ends that. */
export function onSerialDisconnect(listener: (port: SerialDevice) => void): () => void;

export interface SocketOptions {
  /** WebREPL's password, or a function that asks for it when the board does. */
  password?: string | (() => string | Promise<string>);
  /** How long to wait for the connection and for the answer to the password. Default 10 000 ms. */
  timeout?: number;
  /** WebSocket subprotocols. */
  protocols?: string[];
}

export interface SocketLink extends OpenLink {
  readonly socket: WebSocket;
}

/**
 * Opens a WebSocket: a board's WebREPL (its password prompt is answered) or a board behind `flylead serve`.
 * Rejects with {@link LinkError}, {@link PasswordError} or {@link TimeoutError}.
 */
export function openSocket(url: string | URL, options?: SocketOptions): Promise<SocketLink>;

export interface BrowserBoardOptions {
  /**
   * Where `micropython.mjs` of `@micropython/micropython-webassembly-pyscript` is served.
   * Default: that package as installed beside this one, found by the bundler.
   */
  module?: string | URL;
  /** Where its `micropython.wasm` is served. Default: beside `module`. */
  wasm?: string | URL;
  /** Files that the board starts with, by absolute path. Text is UTF-8. */
  files?: Record<string, string | Uint8Array>;
  /** Bytes for Python's heap. Default 8 MiB. */
  heapSize?: number;
}

export interface BrowserBoardLink extends OpenLink {
  /**
   * Whether Ctrl-C can stop a sleeping or printing program softly and `input()` can wait: the page is cross-origin
   * isolated. Otherwise, and for a loop that does neither, Ctrl-C restarts the board's worker: the program's
   * variables are gone, its files stay.
   */
  readonly isolated: boolean;
  /** How often the worker had to be restarted. */
  readonly restarts: number;
  /** The board's files, as they were when it last waited for input, by absolute path. */
  files(): Map<string, Uint8Array>;
}

/** Starts MicroPython in a worker of this page: a board that nobody has to plug in. */
export function openBrowserBoard(options?: BrowserBoardOptions): Promise<BrowserBoardLink>;

// ---------------------------------------------------------------------------------------------------------------
// Boards

/** Where the conversation with a board stands. */
export type Mode = "normal" | "entering" | "raw" | "running" | "resetting" | "lost";

export interface AttachOptions {
  /** How long to try to reach raw mode, in all. Default 10 000 ms. */
  enterTimeout?: number;
  /** How long the board may take for an answer that no program delays. Default 10 000 ms. */
  replyTimeout?: number;
  /** `false` never looks for raw-paste mode. Default `true`. */
  rawPaste?: boolean;
  /** Bytes of a program's output that are kept unread, and the most that `exec` collects. Default 16 MiB. */
  outputLimit?: number;
}

export interface ExecOptions {
  /** Past it, the program is interrupted. Default: none. */
  timeout?: number;
}

export interface ExecResult {
  /** What the program printed; bytes that are not UTF-8 became U+FFFD. */
  readonly stdout: string;
  /** The same as the board sent it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the program raised `SystemExit`: the board has reset itself since, every variable is gone. */
  readonly exited: boolean;
}

/** A conversation with one board. It sends nothing before it is asked to. */
export class Board {
  private constructor();

  /**
   * Takes both streams of an open link and locks them until {@link close}.
   * @throws {TypeError} if a stream is missing (the port is not open) or locked.
   */
  static attach(link: Link, options?: AttachOptions): Board;

  /** Where the conversation stands. */
  readonly mode: Mode;

  /** Calls `listener` with each new mode; the answer ends that. */
  onMode(listener: (mode: Mode) => void): () => void;

  /** Resolves when the conversation is over: with the reason if the board was lost, without after `close()`. */
  readonly lost: Promise<LostError | undefined>;

  /** Goes into raw mode, interrupting whatever runs. The commands below do so themselves if need be. */
  enter(): Promise<void>;

  /**
   * Runs a program and collects what it prints.
   * Rejects with {@link ProgramError} when it raised, {@link TimeoutError}, {@link TooLongError} (it printed more than
   * `outputLimit` and was interrupted), {@link BusyError}, {@link ControlByteError}, {@link LostError}.
   */
  exec(source: string | Uint8Array, options?: ExecOptions): Promise<ExecResult>;

  /**
   * Runs a program whose output is wanted live.
   * @throws {BusyError} {@link ControlByteError} {@link LostError} if it cannot be started.
   */
  run(source: string | Uint8Array, options?: ExecOptions): Run;

  /** Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, clears a half-typed line. */
  interrupt(): void;

  /** Restarts the interpreter: variables are gone, `boot.py` runs, `main.py` does not. The board is in raw mode then. */
  softReset(): Promise<void>;

  /** Goes back to the normal prompt, for {@link terminal}. */
  leave(): Promise<void>;

  /** Types: at the normal prompt, or into the running program's stdin. @throws {NotRunningError} {@link LostError} */
  send(data: string | Uint8Array): void;

  /**
   * The board's own prompt as a stream pair, for a terminal: what it prints while no program of ours runs, and what
   * is typed. While a program runs, what is typed goes to the program; where nothing reads it, it is lost. Output
   * that nobody reads is kept up to `outputLimit`.
   * Always the same two streams.
   */
  readonly terminal: {
    readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
    readonly writable: WritableStream<Uint8Array>;
  };

  /**
   * Ends the conversation and unlocks both streams of the link; they stay open. What was asked before is still sent.
   * Commands under way reject with
   * {@link ClosedError}. Resolves when both are unlocked; never rejects, may be called twice.
   */
  close(): Promise<void>;

  /** `close()` without waiting. */
  free(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A program that runs. Iterate to get its output as text while it comes; characters are never cut in two.
 *
 * ```ts
 * const run = board.run("for i in range(3): print(i)");
 * for await (const text of run) terminal.write(text);
 * const outcome = await run.done;
 * if (outcome.kind === "raised") show(outcome.traceback);
 * ```
 */
export class Run implements AsyncIterable<string> {
  private constructor();

  /** How it ended. Rejects only with {@link LostError} or {@link ClosedError}. */
  readonly done: Promise<Outcome>;

  /** Bytes of output that were dropped, oldest first, because nobody read them and `outputLimit` was reached. */
  readonly dropped: number;

  /**
   * Its output as text. Ends with the program; throws {@link LostError} if the board is lost before. A loop that is
   * left early may be followed by another one, which goes on from there.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<string>;

  /** Its output as bytes, instead of text. */
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;

  free(): void;
  [Symbol.dispose](): void;
}

/** How a program ended. */
export type Outcome =
  | { readonly kind: "completed" }
  | { readonly kind: "raised"; readonly traceback: Traceback }
  /** It raised `SystemExit`; the board has reset itself since. */
  | { readonly kind: "exited" }
  | { readonly kind: "timedOut"; readonly traceback: Traceback | undefined };

/** An uncaught exception. */
export interface Traceback {
  /** The call stack, outermost call first. */
  readonly frames: readonly Frame[];
  /** The class, such as `ZeroDivisionError`; empty when the text is no traceback at all. */
  readonly exception: string;
  /** What follows the class; may be empty. */
  readonly message: string;
  /** As the board sent it, with `\n` as line end. */
  readonly text: string;
  readonly kind: ErrorKind;
  readonly recovery: Recovery;
}

export interface Frame {
  /** `<stdin>` for what was sent by `exec` or `run`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The function or `<module>`; a syntax error has none. */
  readonly function: string | undefined;
}

export type ErrorKind = "parse" | "runtime" | "memory" | "hardware";

/** What to do after a fault: send the next program, `softReset()` first, or reset the device and attach anew. */
export type Recovery = "continue" | "softReset" | "reconnect";

// ---------------------------------------------------------------------------------------------------------------
// Errors: plain `Error`s, told apart by `name`

/** Another command is still under way; one at a time. */
export interface BusyError extends Error {
  readonly name: "BusyError";
}

/** The connection to the board is over. */
export interface LostError extends Error {
  readonly name: "LostError";
  readonly reason: "closed" | "notEntered" | "timedOut" | "garbage" | "tooLong" | "failed";
}

/** The `Board` was closed. */
export interface ClosedError extends Error {
  readonly name: "ClosedError";
}

/** No program runs that could read what was sent. */
export interface NotRunningError extends Error {
  readonly name: "NotRunningError";
}

/** The source has a byte that the protocol takes as a command. */
export interface ControlByteError extends Error {
  readonly name: "ControlByteError";
  /** Where, in bytes from 0. */
  readonly offset: number;
}

/** The program raised. `message` is its last line, such as `ZeroDivisionError: divide by zero`. */
export interface ProgramError extends Error {
  readonly name: "ProgramError";
  readonly traceback: Traceback;
  /** What it had printed before. */
  readonly stdout: string;
}

/** It took too long. From `exec`, with what the program raised when it was interrupted and what it had printed. */
export interface TimeoutError extends Error {
  readonly name: "TimeoutError";
  readonly traceback?: Traceback;
  readonly stdout?: string;
}

/** The program printed more than `outputLimit`. */
export interface TooLongError extends Error {
  readonly name: "TooLongError";
  readonly limit: number;
  readonly stdout: string;
}

/** A link could not be opened. */
export interface LinkError extends Error {
  readonly name: "LinkError";
}

/** WebREPL wants a password and none was given, or refused the one given. */
export interface PasswordError extends Error {
  readonly name: "PasswordError";
}

/** The person closed the browser's chooser. */
export interface CancelledError extends Error {
  readonly name: "CancelledError";
}

/** This browser does not have it, or not on this page. */
export interface UnsupportedError extends Error {
  readonly name: "UnsupportedError";
}

/** Everything that this package throws or rejects with, apart from `TypeError`s for wrong arguments. */
export type FlyleadError =
  | BusyError
  | CancelledError
  | ClosedError
  | ControlByteError
  | LinkError
  | LostError
  | NotRunningError
  | PasswordError
  | ProgramError
  | TimeoutError
  | TooLongError
  | UnsupportedError;

/** Whether `error` is one of this package's, so that a `switch` over `error.name` is checked by the compiler. */
export function isFlyleadError(error: unknown): error is FlyleadError;
