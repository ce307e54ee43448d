/// <reference lib="esnext.disposable" />

/**
 * Flylead: talk to MicroPython boards, and to Zylisp REPLs, from a page, a worker or Node.
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
 * These files are written by hand and are the whole public API. Each part of the package has its own WebAssembly, so
 * that a page loads what it uses: this one, `flylead/export`, `flylead/agent` and `flylead/zylisp`. Times are milliseconds. Promises give one answer,
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
  /** Whether it carries text alone, as WebREPL does: then files go as text, not as their own bytes. Default `false`. */
  readonly textOnly?: boolean;
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
  /** Whether a WebREPL answered. */
  readonly textOnly: boolean;
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
   * Rejects with {@link ProgramError} when it raised, {@link RestartedError}, {@link TimeoutError}, {@link TooLongError}
   * (it printed more than `outputLimit` and was interrupted), {@link BusyError}, {@link ControlByteError}, {@link LostError}.
   */
  exec(source: string | Uint8Array, options?: ExecOptions): Promise<ExecResult>;

  /**
   * Runs a program whose output is wanted live.
   * @throws {BusyError} {@link ControlByteError} {@link LostError} if it cannot be started.
   */
  run(source: string | Uint8Array, options?: ExecOptions): Run;

  /** The board's files. Always the same object. */
  readonly files: Files;

  /**
   * Sends Ctrl-C: ends a running program with `KeyboardInterrupt`, clears a half-typed line. What {@link files} is
   * doing ends with {@link CancelledError}.
   */
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

/**
 * A board's files. Paths are the board's: `/lib/a.py`, or relative to its current directory.
 *
 * One command at a time, as for everything a {@link Board} does; while one is under way, {@link Board.mode} is
 * `"running"`. All of these reject with {@link FileError}, {@link CancelledError} after {@link Board.interrupt},
 * {@link BusyError}, {@link LostError}, {@link ClosedError}; none throws.
 */
export class Files {
  private constructor();

  /** The entries of a directory, by name. Default: the current directory. */
  list(path?: string): Promise<FileEntry[]>;

  /**
   * All entries below a directory; their names are paths relative to it. `hashes` also reads each file whole, on the
   * board.
   */
  tree(path?: string, options?: { hashes?: boolean }): Promise<FileEntry[]>;

  /** One file or directory. */
  stat(path: string): Promise<FileEntry>;

  /** A file's content, its hash compared with the board's. */
  read(path: string): Transfer<Uint8Array<ArrayBuffer>>;

  /** Replaces or creates a file; a string is written as UTF-8. The old file is whole until the new one is. */
  write(path: string, data: string | Uint8Array): Transfer<Written>;

  /**
   * Writes many files and makes directories in few exchanges, in this order. A directory may exist; those above it, and
   * those that files are in, must. A {@link FileError} names the path that is to blame; what comes before it is done.
   */
  writeTree(entries: Iterable<NewEntry>): Transfer<Written>;

  /** Adds to the end of a file, or creates it. */
  append(path: string, data: string | Uint8Array): Transfer<Written>;

  /** Removes a file or an empty directory; with `recursive`, a directory and all below it. */
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;

  /** Makes a directory; with `parents`, those above it too, and it may exist. */
  makeDirectory(path: string, options?: { parents?: boolean }): Promise<void>;

  /** Renames or moves a file or directory. */
  rename(from: string, to: string): Promise<void>;

  /** Makes an empty file if there is none. */
  touch(path: string): Promise<void>;

  /** The size of the file system that `path` is on, in bytes. Default: `/`. */
  space(path?: string): Promise<{ readonly total: number; readonly free: number }>;

  /** A file's SHA-256 in hexadecimal, computed by the board. */
  sha256(path: string): Promise<string>;

  /** What the board can do for transfers; asked for anew. */
  capabilities(): Promise<Capabilities>;

  free(): void;
  [Symbol.dispose](): void;
}

/** A file that is to be on the board; a directory, where it has no data. */
export interface NewEntry {
  readonly path: string;
  /** Its content; a string is written as UTF-8. */
  readonly data?: string | Uint8Array;
}

/** A file or directory on the board. */
export interface FileEntry {
  /** Its name; from {@link Files.tree}, its path below the directory that was asked for. */
  readonly name: string;
  readonly kind: "file" | "directory";
  /** In bytes; 0 for a directory. */
  readonly size: number;
  /** By the board's clock; `undefined` where the board does not say. */
  readonly modified: Date | undefined;
  /** In hexadecimal, where it was asked for. */
  readonly sha256: string | undefined;
}

/** How far a transfer is. */
export interface Progress {
  /** Bytes of content that are done. */
  readonly done: number;
  /** All bytes, where that is known. */
  readonly total: number | undefined;
  /** Of {@link Files.writeTree}: how many files and directories are in their places. */
  readonly entries: number;
}

/**
 * A file's content on its way. Await it for its result; iterate for its progress, of which a slow reader gets only
 * the latest.
 *
 * ```ts
 * const transfer = board.files.write("/data.bin", bytes);
 * for await (const { done, total } of transfer) bar.value = done / (total ?? done);
 * const { rung } = await transfer;
 * ```
 */
export class Transfer<T> implements AsyncIterable<Progress>, PromiseLike<T> {
  private constructor();

  /** What came of it. Once somebody iterates or has cancelled, nobody has to look at its failure. */
  readonly done: Promise<T>;

  /**
   * Ends it as soon as the board can; then {@link done} rejects with {@link CancelledError}, and a file that was to be
   * replaced is as it was. After the end it does nothing.
   */
  cancel(): void;

  /** What makes `await` work: that of {@link done}. */
  then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;

  /** Its progress. Ends with the transfer; throws when that fails. A loop that is left early does not end it. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Progress>;

  free(): void;
  [Symbol.dispose](): void;
}

/** A write that is done: verified and in its place. */
export interface Written {
  /** The size of the file or files, or what was appended. */
  readonly bytes: number;
  /** How many bytes that took on the wire. */
  readonly onWire: number;
  readonly rung: Rung;
}

/**
 * By which means content went, from what works everywhere to what is fastest: Python literals; hexadecimal, base64 or
 * deflate where those are shorter; its own bytes; its own bytes, deflated where that is shorter.
 */
export type Rung = "literal" | "hex" | "base64" | "deflate" | "stream" | "streamDeflate";

/** What a board can do for transfers. */
export interface Capabilities {
  /** It reads binary data with Ctrl-C off. */
  readonly readsBinary: boolean;
  readonly writesBinary: boolean;
  readonly sha256: boolean;
  readonly base64: boolean;
  /** It has no quick base64, but hexadecimal. */
  readonly hex: boolean;
  /** It unpacks deflate streams. */
  readonly inflate: boolean;
  /** It packs deflate streams. */
  readonly deflate: boolean;
  /** It has directories; without, one flat folder. */
  readonly directories: boolean;
  readonly rename: boolean;
  /** Bytes. */
  readonly freeMemory: number;
}

/** How a program ended. */
export type Outcome =
  | { readonly kind: "completed" }
  | { readonly kind: "raised"; readonly traceback: Traceback }
  /** It raised `SystemExit`; the board has reset itself since. */
  | { readonly kind: "exited" }
  /** The board started from nothing, as after `machine.reset()` or a crash, and is at its normal prompt. */
  | { readonly kind: "restarted" }
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

/** The connection to the board or the server is over. */
export interface LostError extends Error {
  readonly name: "LostError";
  readonly reason: "closed" | "notEntered" | "timedOut" | "garbage";
}

/** The `Board` or `Zylisp` was closed. */
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

/** The server does not do what it was asked; `message` is why, in its own words. */
export interface RefusedError extends Error {
  readonly name: "RefusedError";
}

/** The board restarted in the middle of the program. */
export interface RestartedError extends Error {
  readonly name: "RestartedError";
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

/**
 * The board did not do what it was asked with a file; what there was before is still there. `message` begins with the
 * path and is fit to be shown.
 */
export interface FileError extends Error {
  readonly name: "FileError";
  readonly kind: FileErrorKind;
  /** What it is about; empty where there is no path. */
  readonly path: string;
  /** For `"raised"`. */
  readonly traceback: Traceback | undefined;
}

/**
 * `"damaged"`: what arrived is not what was sent. `"denied"`: read-only, perhaps. `"stalled"`: the board stopped
 * answering, and is at its prompt again. `"restarted"`: the board restarted in the middle of it. `"notStopped"`: what runs
 * on the board does not end. `"unsupported"`: this board cannot do that. `"badAnswer"`: what it answered
 * cannot be read. `"kept"`: the new file is whole on the board, under the name that the message has, and the old one may be
 * gone. `"invalid"`: the file system takes no such name. `"raised"`: it raised something else.
 */
export type FileErrorKind =
  | "notFound"
  | "exists"
  | "isDirectory"
  | "notDirectory"
  | "notEmpty"
  | "noSpace"
  | "nameTooLong"
  | "invalid"
  | "busy"
  | "denied"
  | "noMemory"
  | "damaged"
  | "stalled"
  | "restarted"
  | "notStopped"
  | "unsupported"
  | "badAnswer"
  | "kept"
  | "overwritten"
  | "raised";

/** A range of lines that is not in the file, or a file that is no text. */
export interface EditError extends Error {
  readonly name: "EditError";
}

/** A path that leaves the workspace, names no file, or is protected. */
export interface PathError extends Error {
  readonly name: "PathError";
}

/** A reply of which nothing was done: no text, no commands, a copy of an outbox, of another session, done before. */
export interface RejectedError extends Error {
  readonly name: "RejectedError";
}

/** A session that cannot be read, or is from a later version. */
export interface SessionError extends Error {
  readonly name: "SessionError";
}

/** There is no log, or none that is whole. `message` says what to do. */
export interface ExportError extends Error {
  readonly name: "ExportError";
  readonly code: ExportErrorCode;
  readonly hint: ExportHint;
  /** Whether asking again may help without anybody doing anything. */
  readonly retryable: boolean;
}

/**
 * `"device_error"`: the device said so. `"trailing_data"`, `"short_transfer"`, `"checksum_mismatch"`, …: bytes were
 * lost or changed on the way. `"mode_conflict"`, `"ambiguous_end"`: the device must send `SIZE=`.
 */
export type ExportErrorCode =
  | "device_error"
  | "bad_header"
  | "no_header"
  | "too_large"
  | "short_transfer"
  | "timed_out"
  | "device_reset"
  | "trailing_data"
  | "mode_conflict"
  | "ambiguous_end"
  | "missing_end"
  | "checksum_mismatch"
  | "broken_checksum"
  | "missing_checksum"
  | "port_lost";

/** What to do about an {@link ExportError}. */
export type ExportHint = "retry_export" | "send_stop" | "reconnect" | "use_size_mode" | "raise_limit" | "check_device";

/** The person closed the browser's chooser, or the page ended a transfer. */
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
  | EditError
  | ExportError
  | FileError
  | LinkError
  | LostError
  | NotRunningError
  | PasswordError
  | PathError
  | ProgramError
  | RefusedError
  | RejectedError
  | RestartedError
  | SessionError
  | TimeoutError
  | TooLongError
  | UnsupportedError;

/** Whether `error` is one of this package's, so that a `switch` over `error.name` is checked by the compiler. */
export function isFlyleadError(error: unknown): error is FlyleadError;
