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
 * board.close();
 * ```
 *
 * Rust declares the classes, options, answers and errors (`pkg/`); these files export them, and add what is written in
 * JavaScript. Each part of the package has its own WebAssembly, so that a page loads what it uses: this one,
 * `flylead/debug`, `flylead/mount`, `flylead/export`, `flylead/flash`, `flylead/agent` and `flylead/zylisp`. Times are milliseconds. Promises give one answer, async
 * iterables many; refusals are `Error`s with a stable `name` (see {@link FlyleadError}); a wrong argument or an option
 * that does not exist is a `TypeError`.
 */

import type { ErrorKind as AgentErrors } from "../pkg/agent/flylead_wasm.js";
import type { ErrorKind as BoardErrors, Outcome, Progress } from "../pkg/board/flylead_wasm.js";
import type { ErrorKind as DebugErrors } from "../pkg/debug/flylead_wasm.js";
import type { ErrorKind as ExportErrors } from "../pkg/export/flylead_wasm.js";
import type { ErrorKind as LinkErrors, UsbIds } from "../pkg/links/flylead_wasm.js";
import type { ErrorKind as MountErrors } from "../pkg/mount/flylead_wasm.js";
import type { ErrorKind as ZylispErrors } from "../pkg/zylisp/flylead_wasm.js";

export {
  Board,
  Files,
  type AttachOptions,
  type Capabilities,
  type EntryKind,
  type ExecOptions,
  type ExecResult,
  type Fault,
  type FileEntry,
  type FileErrorKind,
  type Frame,
  type LostReason,
  type MakeDirectoryOptions,
  type Mode,
  type NewEntry,
  type Outcome,
  type Peer,
  type Progress,
  type Recovery,
  type RemoveOptions,
  type Space,
  type Traceback,
  type TransferMethod,
  type TreeOptions,
  type Written,
} from "../pkg/board/flylead_wasm.js";
export {
  hasSerial,
  onSerialConnect,
  onSerialDisconnect,
  openSerial,
  openSocket,
  serialPorts,
  type SerialOptions,
  type SocketOptions,
  type UsbIds,
} from "../pkg/links/flylead_wasm.js";
export type { ExportDoubt, ExportErrorCode, ExportHint } from "../pkg/export/flylead_wasm.js";

/** Source of the package's WebAssembly. */
export type WasmSource = URL | string | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Loads the WebAssembly, once; call it before anything else but {@link openBrowserBoard} and {@link isFlyleadError}.
 * Without an argument it takes the files that lie beside the package's code (in Node from the disk, elsewhere by
 * `fetch`): those of the boards and of the links.
 */
export function init(
  board?: WasmSource | Promise<WasmSource>,
  links?: WasmSource | Promise<WasmSource>,
): Promise<void>;

// ---------------------------------------------------------------------------------------------------------------
// Links

/**
 * The bytes to and from a board. An open Web Serial port is one; `openSerial`, `openSocket` and {@link openBrowserBoard}
 * make one; in Node, `Readable.toWeb` and `Writable.toWeb` do.
 */
export interface Link {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  /**
   * True if it carries text alone, as WebREPL does: files are then sent as text, not as their own
   * bytes. Default `false`.
   */
  readonly textOnly?: boolean;
}

/** A link that this package opened, so it can close it too. */
export interface OpenLink extends Link {
  /** Name in a list: `Web Serial 2e8a:0005`, `ws://192.168.4.1:8266/`, `Browser board`. */
  readonly label: string;
  /** Closes it. Close the `Board` first: a link cannot close while its streams are locked. Never rejects. */
  close(): Promise<void>;
}

/** Part of Web Serial's `SerialPort` that this package uses; a real one fits. */
export interface SerialDevice extends Link {
  getInfo(): UsbIds;
  open(options: { baudRate: number; bufferSize?: number }): Promise<void>;
  close(): Promise<void>;
  forget(): Promise<void>;
  setSignals(signals: { dataTerminalReady?: boolean; requestToSend?: boolean; break?: boolean }): Promise<void>;
}

/** An open Web Serial port. Its streams are requested again each time: after a loss there are none. */
export interface SerialLink extends OpenLink {
  readonly port: SerialDevice;
}

/** An open WebSocket. */
export interface SocketLink extends OpenLink {
  readonly socket: WebSocket;
  /** True if a WebREPL answered. */
  readonly textOnly: boolean;
}

export interface BrowserBoardOptions {
  /**
   * Address of `micropython.mjs` of `@micropython/micropython-webassembly-pyscript`. Default: that
   * package as installed beside this one, found by the bundler.
   */
  module?: string | URL;
  /** Address of its `micropython.wasm`. Default: beside `module`. */
  wasm?: string | URL;
  /** Files that the board starts with, by absolute path; `null` is a folder. Text is UTF-8. */
  files?: Record<string, string | Uint8Array | null>;
  /** Bytes for Python's heap. Default 8 MiB. */
  heapSize?: number;
  /** Files or folders have changed: for whoever keeps them. Called with each change that {@link BrowserBoardLink.files} shows. */
  onFiles?: (changes: FileChanges) => void;
  /** A program waits for input that has not been typed yet. Only where the page is cross-origin isolated. */
  onInputAwaited?: () => void;
  /** A program could not be interrupted, and the worker was restarted for it: variables are gone, files stay. */
  onRestarted?: () => void;
  /**
   * Machine that the board is like: its modules, such as `machine`, its pins, and the sizes of its disk and of its memory, in
   * place of {@link heapSize}. What a browser cannot be (WLAN, Bluetooth, PIO, RMT) is refused by name. Default: none, without pins.
   */
  machine?: "pico" | "esp32";
  /**
   * Parts of the machine and what they show, as far as that has changed; a part that shows `""` is gone. `out:15` shows `0` or `1`;
   * `pwm:15` the duty of 65535 and the frequency, `32768,1000`; `in:14` the pull of a button, `up` or `down`; `adc:26`, `touch:4`,
   * `dht:2` and `ds:12` that they are there; `neo:16` its lights in hexadecimal RGB; `oled:3c` whether it is on (`on`, `off`) and
   * inverted (`i`, `n`), its height and, if it is on, its memory in hexadecimal. The next changes come once a promise has resolved that this
   * returns: so whoever draws them is told no more than can be drawn.
   */
  onPins?: (changes: readonly (readonly [part: string, shown: string])[]) => void | Promise<void>;
}

/** A thing that a person does to a machine: presses a button (1) or lets go of it (0), moves a slider, changes the air, in tenths. */
export interface BoardInput {
  kind: "button" | "slider" | "temperature" | "humidity";
  /** Number of the pin of a button or slider. */
  pin?: number;
  /** Up to 65535 for a slider. */
  value: number;
}

/** Changes of a browser board's files, by absolute path. */
export interface FileChanges {
  /** Current content; `null` is a folder. The bytes stay unchanged; their buffer may be longer. */
  readonly changed: ReadonlyMap<string, Uint8Array | null>;
  readonly removed: readonly string[];
}

export interface BrowserBoardLink extends OpenLink {
  /**
   * True if Ctrl-C can stop a program softly and `input()` can wait: the page is cross-origin
   * isolated. Otherwise, and for a function in C that takes long, such as `sum(range(10**9))`,
   * Ctrl-C restarts the board's worker: the program's variables are gone, its files stay.
   */
  readonly isolated: boolean;
  /**
   * True if the board runs in a frame without an origin: no storage, no network, nothing of the page, whatever a program does. False
   * outside of a document, and where the page's policy forbids such a frame; then the worker's own walls are all there are.
   */
  readonly framed: boolean;
  /** Number of times that the worker had to be restarted. */
  readonly restarts: number;
  /**
   * The board's files, as they were when it last waited for input, by absolute path. The bytes are not copied, and those of
   * one answer stay as they are: a file that changes has others. Do not write into them.
   */
  files(): Map<string, Uint8Array>;
  /** Makes changes of somebody else's on the board, as soon as it waits for input; `onFiles` does not hear of them. */
  takeFiles(changes: FileChanges): void;
  /** Does to the machine what a person does; what is none of its inputs changes nothing. */
  setInput(input: BoardInput): void;
  /** Folders that its programs see, of the machine that pretends to be a computer for them, by absolute path. They are not kept. */
  readonly machineFolders: ReadonlySet<string>;
}

/**
 * Starts MicroPython in a frame of this page: a board that nobody has to plug in. Its programs reach neither the page nor its
 * storage, nor a network. A page with a Content-Security-Policy has to allow the frame; see the README.
 *
 * In Node it runs in a thread of the process. Nothing keeps its programs from this computer there: run those that you trust.
 */
export function openBrowserBoard(options?: BrowserBoardOptions): Promise<BrowserBoardLink>;

// ---------------------------------------------------------------------------------------------------------------
// What is under way

/** Pending work. Await it for its result; iterate it for what happens until then. */
export interface Task<T, E> extends AsyncIterable<E>, PromiseLike<T> {
  /** Result of the work. Its failure is considered handled once the task is iterated or cancelled. */
  readonly done: Promise<T>;

  /** Bytes of what happens that were dropped, oldest first, because nobody read them and a limit was reached. */
  readonly dropped: number;

  /** Ends it as soon as the other side can. After the end it does nothing. */
  cancel(): void;

  /**
   * Iterates over the events until the result is there; throws if the work fails. Leaving a loop
   * early does not end the work, and another loop may continue from there.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<E>;

  free(): void;
  [Symbol.dispose](): void;
}

/** A program that runs, and its output as text. */
export interface Run extends Task<Outcome, string> {
  /** Output as bytes, instead of text. */
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** A file's content on its way, and how far it is, of which a slow reader gets only the latest. */
export type Transfer<T> = Task<T, Progress>;

/** A board's own prompt as a stream pair. */
export interface Terminal {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array>;
}

// ---------------------------------------------------------------------------------------------------------------
// Errors: plain `Error`s, told apart by `name`

type Errors = AgentErrors | BoardErrors | DebugErrors | ExportErrors | LinkErrors | MountErrors | ZylispErrors;

/** Everything that this package throws or rejects with, apart from `TypeError`s for wrong arguments. */
export type FlyleadError = Error & Exclude<Errors, { name: "TypeError" }>;

/** Returns true if `error` is one of this package's, so that the compiler checks a `switch` over `error.name`. */
export function isFlyleadError(error: unknown): error is FlyleadError;

type Named<Name extends FlyleadError["name"]> = Extract<FlyleadError, { name: Name }>;

/** Another command is still under way; one at a time. */
export type BusyError = Named<"BusyError">;
/** The person closed the browser's chooser, or the page ended a transfer. */
export type CancelledError = Named<"CancelledError">;
/** The `Board`, `Recorder` or `Zylisp` was closed. */
export type ClosedError = Named<"ClosedError">;
/** The source has a byte that the protocol takes as a command, at `offset` bytes from 0. */
export type ControlByteError = Named<"ControlByteError">;
/** A question to a stopped program has no answer; `code` says why. */
export type DebugError = Named<"DebugError">;
/** A range of lines that is not in the file, or a file that is no text. */
export type EditError = Named<"EditError">;
/** Error: no complete log was received. `message` gives the remedy. */
export type ExportError = Named<"ExportError">;
/**
 * The board did not do what it was asked with a file; what there was before is still there. `message` begins with the
 * path and is fit to be shown.
 */
export type FileError = Named<"FileError">;
/** A link could not be opened. */
export type LinkError = Named<"LinkError">;
/** The connection to the board or the server is over. */
export type LostError = Named<"LostError">;
/** The board does not take a folder; `message` says why, and what to do. */
export type MountError = Named<"MountError">;
/** No program runs that could read what was sent. */
export type NotRunningError = Named<"NotRunningError">;
/** WebREPL wants a password and none was given, or it refused the one given. */
export type PasswordError = Named<"PasswordError">;
/** A path that leaves the workspace, names no file, or is protected. */
export type PathError = Named<"PathError">;
/** The program raised. `message` is its last line, such as `ZeroDivisionError: divide by zero`. */
export type ProgramError = Named<"ProgramError">;
/** The server does not do what it was asked; `message` is why, in its own words. */
export type RefusedError = Named<"RefusedError">;
/** A reply of which nothing was done: no text, no commands, a copy of an outbox, of another session, done before. */
export type RejectedError = Named<"RejectedError">;
/** The board restarted in the middle of the program. */
export type RestartedError = Named<"RestartedError">;
/** A session that cannot be read, or is from a later version. */
export type SessionError = Named<"SessionError">;
/** A program that is no Python, at `line` and `column` of `file`. */
export type SourceError = Named<"SourceError">;
/** It took too long. From `exec`, with what the program raised when it was interrupted and what it had printed. */
export type TimeoutError = Named<"TimeoutError">;
/** The program printed more than `outputLimit`. */
export type TooLongError = Named<"TooLongError">;
/** This browser does not have it, or not on this page. */
export type UnsupportedError = Named<"UnsupportedError">;
