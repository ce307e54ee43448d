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
   * Rejects with {@link ProgramError} when it raised, {@link TimeoutError}, {@link TooLongError} (it printed more than
   * `outputLimit` and was interrupted), {@link BusyError}, {@link ControlByteError}, {@link LostError}.
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
  /** The file's size, or what was appended. */
  readonly bytes: number;
  /** How many bytes that took on the wire. */
  readonly onWire: number;
  readonly rung: Rung;
}

/**
 * By which means content went, from what works everywhere to what is fastest: Python literals; base64 or deflate
 * where those are shorter; its own bytes; its own bytes, deflated where that is shorter.
 */
export type Rung = "literal" | "base64" | "deflate" | "stream" | "streamDeflate";

/** What a board can do for transfers. */
export interface Capabilities {
  /** It reads binary data with Ctrl-C off. */
  readonly readsBinary: boolean;
  readonly writesBinary: boolean;
  readonly sha256: boolean;
  readonly base64: boolean;
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
// The agent's loop: an LLM works on files through text that a person copies to and fro

/**
 * One task, from its first outbox to its `DONE`. A plain object, to be kept as JSON; {@link readSession} reads it back.
 * Fields that are not listed here are kept.
 */
export interface AgentSession {
  readonly version: string;
  /** Eight hexadecimal digits. */
  readonly sessionId: string;
  readonly task: string;
  /** The number of the outbox that waits for its reply, from 1. */
  readonly sequenceNumber: number;
  readonly isComplete: boolean;
  /** Times as `2025-01-15T10:30:00Z`. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What became of the commands of the last reply. */
  readonly lastResults: readonly AgentResult[];
  /** What the next outbox shows. */
  readonly readFileRequests: readonly AgentReadRequest[];
}

/** What became of one command. */
export interface AgentResult {
  /** The name in its tag. */
  readonly command: string;
  readonly success: boolean;
  readonly summary: string;
  readonly output?: string;
  readonly notes?: readonly string[];
}

/** A path alone asks for the whole file. */
export type AgentReadRequest = string | { path: string; numbered?: boolean; first?: number; last?: number };

/** A command of a reply. Paths are as written. */
export type AgentCommand =
  | { readonly kind: "CREATE_FILE"; readonly path: string; readonly content: string }
  | {
      readonly kind: "EDIT_FILE";
      readonly path: string;
      readonly lines: { readonly first: number; readonly last: number };
      readonly replacement: string;
      readonly expect?: string;
      readonly sha?: string;
    }
  | { readonly kind: "DELETE_FILE"; readonly path: string }
  | { readonly kind: "READ_FILE"; readonly path: string; readonly numbered: boolean; readonly first?: number; readonly last?: number }
  | { readonly kind: "RUN_COMMAND"; readonly command: string }
  | { readonly kind: "MESSAGE"; readonly text: string }
  | { readonly kind: "DONE"; readonly summary: string };

/** A reply, read. */
export interface AgentInbox {
  /** Commands and errors, in order. */
  readonly items: readonly {
    /** Where its tag is, from 1. */
    readonly line: number;
    /** The name in its tag. */
    readonly name: string;
    /** What to do; or `error` says why not, for the LLM. */
    readonly command?: AgentCommand;
    readonly error?: string;
    readonly notes: readonly string[];
  }[];
  /** The outbox that the reply says it answers. */
  readonly echo: { readonly session: string | null; readonly sequence: number | null };
  /** Lines that look like commands and are none. */
  readonly hints: readonly number[];
  /** The line up to which the text is a copy of an outbox. */
  readonly outboxCopy: number | null;
}

export interface AgentReadingOptions {
  /** Follow the protocol's document to the letter. */
  strict?: boolean;
  /** Take away a Markdown fence around the whole text of a file. */
  stripFences?: boolean;
}

/** Reads a reply into commands and errors. What was meant as content is never a command. @throws {RejectedError} */
export function parseInbox(message: string | Uint8Array, options?: AgentReadingOptions): AgentInbox;

/** A file of the workspace, by its path from the root. */
export interface AgentFile {
  readonly path: string;
  readonly bytes: number;
}

/** A file, or a part of it, as an outbox shows it. */
export interface AgentContents {
  readonly path: string;
  readonly text: string;
  /** The number of its first line, if line numbers are to be shown. */
  readonly numberedFrom?: number | null;
  readonly note?: string | null;
}

/** Writes the message to the LLM. The same input gives the same text. @throws {SessionError} */
export function renderOutbox(outbox: {
  session: AgentSession;
  /** In the order to show. */
  files: readonly AgentFile[];
  /** How many more there are. */
  moreFiles?: number;
  contents?: readonly AgentContents[];
}): string;

/** Cuts a message into parts of at most `limit` characters (at least 400), for chats that cut long pastes. */
export function splitOutbox(text: string, session: AgentSession, limit: number): string[];

/** Shows requested files: each one's bytes, or in words why there are none. */
export function showFiles(requests: readonly AgentReadRequest[], files: readonly (Uint8Array | string)[]): AgentContents[];

/** Lines from 1, both included; `replacement` is whole lines, and none at all deletes the range. */
export interface AgentEdit {
  startLine: number;
  endLine: number;
  replacement: string;
  /** What the first line has to be. */
  expect?: string;
}

/**
 * Replaces a range of lines and no other byte: line ends, byte order mark, a missing final newline and bytes that are
 * no text stay. @throws {EditError}
 */
export function applyEdit(file: Uint8Array, edit: AgentEdit): Uint8Array<ArrayBuffer>;

/** Cleans a path as an LLM writes it, or refuses it. @throws {PathError} */
export function judgePath(path: string): string;

/** A session that waits for its first reply. */
export function newSession(
  task: string,
  options?: {
    /** What line numbers count: the file as it is at each command (the default), or as it was before the reply. */
    editNumbering?: "sequential" | "snapshot";
    /** What RUN_COMMAND runs: say `"python"` for a board, and the LLM is told. Default `"shell"`. */
    commands?: "shell" | "python";
  },
): AgentSession;

/** Reads a session that was kept as JSON. @throws {SessionError} */
export function readSession(json: string): AgentSession;

/** Where the commands work. Paths are clean, relative, with `/`; all may reject, which the LLM is told. */
export interface AgentWorkspace {
  /** All files, in the order to show. */
  list(): Promise<AgentFile[]>;
  /** `undefined`: there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Makes its directories too. */
  write(path: string, content: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  /** Without it there is no RUN_COMMAND. */
  run?(command: string): Promise<{ success: boolean; summary: string; output?: string | Uint8Array }>;
}

/**
 * A folder from `showDirectoryPicker()` (asked for with `mode: "readwrite"`) or the origin's own file system. `.git` and
 * folders of build products are not listed.
 */
export function folderWorkspace(folder: FileSystemDirectoryHandle): AgentWorkspace;

/** The files of a board below `root` (`/`); RUN_COMMAND runs Python on it for at most `timeout` (30 000 ms). */
export function boardWorkspace(board: Board, options?: { root?: string; timeout?: number }): AgentWorkspace;

/** The message that waits to be pasted into a chat. @throws {SessionError} and what the workspace throws. */
export function writeOutbox(session: AgentSession, workspace: AgentWorkspace): Promise<string>;

export interface AgentReplyOptions extends AgentReadingOptions {
  /** The text begins with a copy of an outbox, and what follows it is meant. */
  acceptCopy?: boolean;
  /** Process it although it was processed before, or says that it answers another outbox. */
  force?: boolean;
  /** Whether a command may run. Without it, none does. */
  approve?: (command: string) => boolean | Promise<boolean>;
  /** What follows its abortion is not done; the LLM is told. */
  signal?: AbortSignal;
}

/** One step of a reply. */
export type AgentPreview =
  | {
      readonly kind: "change";
      readonly line: number;
      readonly path: string;
      readonly name: "CREATE_FILE" | "EDIT_FILE" | "DELETE_FILE";
      /** `undefined`: there is no file before, or after. */
      readonly before: Uint8Array | undefined;
      readonly after: Uint8Array | undefined;
      readonly summary: string;
    }
  | { readonly kind: "run"; readonly line: number; readonly command: string };

/**
 * What a reply would do, its commands one after the other; nothing is done. `results` also has what would fail, and
 * counts every shell command as a success. Rejects with {@link RejectedError}.
 */
export function previewReply(
  session: AgentSession,
  reply: string | Uint8Array,
  workspace: AgentWorkspace,
  options?: AgentReplyOptions,
): Promise<{ previews: AgentPreview[]; results: readonly AgentResult[] }>;

/**
 * Carries a reply out, once: the answer is the session after it, to be kept, and what the LLM says to the person.
 * Rejects with {@link RejectedError}; then nothing was done.
 */
export function applyReply(
  session: AgentSession,
  reply: string | Uint8Array,
  workspace: AgentWorkspace,
  options?: AgentReplyOptions,
): Promise<{ session: AgentSession; messages: string[] }>;

/** What to do next for a reply; paths are clean. */
export type AgentTask =
  | { readonly kind: "change"; readonly line: number; readonly path: string; readonly name: "CREATE_FILE" | "EDIT_FILE" | "DELETE_FILE" }
  | { readonly kind: "read"; readonly line: number; readonly path: string }
  | { readonly kind: "run"; readonly line: number; readonly command: string };

/** A reply step by step, for whom {@link applyReply} is too much at once. */
export class AgentTurn {
  /** @throws {RejectedError} {@link SessionError} */
  constructor(session: AgentSession, reply: string | Uint8Array, options?: AgentReplyOptions);
  /** The next task; the same one until its outcome is told. `undefined`: there is none left. */
  next(): AgentTask | undefined;
  /** For a `"change"`: what the file becomes. `undefined`: it is refused, which is its outcome. */
  change(before: Uint8Array | undefined): { after: Uint8Array | undefined; summary: string } | undefined;
  /** The change was made. */
  changed(): void;
  /** For a `"read"`: the file's content. */
  found(content: Uint8Array): void;
  /** For a `"run"`: its end, and what it printed. */
  ran(success: boolean, summary: string, output?: string | Uint8Array): void;
  /** The task was not done. */
  failed(why: string): void;
  /** What the LLM says to the person. */
  readonly messages: string[];
  /** The session after the reply; what is left of it counts as failed. */
  end(): AgentSession;
  free(): void;
  [Symbol.dispose](): void;
}

// ---------------------------------------------------------------------------------------------------------------
// Experiments: logs collected from a device that records

export interface RecorderOptions {
  /** The line's speed, from which the longest time for a log is counted; it opens nothing. Default 115200. */
  baudRate?: number;
  /** How long the log's header may take, and the least that the whole may take. Default 120 000 ms. */
  timeout?: number;
  /** How long the device may be silent inside the log. Default 10 000 ms. */
  idleTimeout?: number;
  /** The longest log, in bytes; one that announces more is refused at once. Default 64 MiB. */
  sizeLimit?: number;
  /** Refuse a log without the device's `CRC32=` or `SHA256=`. Default `false`. */
  requireChecksum?: boolean;
  /** Bytes of {@link Recorder.chatter} that are kept unread, the newest. Default 1 MiB. */
  outputLimit?: number;
}

/** Where the fetching of a log stands. */
export type ExportPhase = "idle" | "draining" | "waitingHeader" | "receiving" | "verifying" | "closed";

/**
 * A device that records to its SD card between `START` and `STOP`, and sends the file when it is asked to `EXPORT`.
 * It sends nothing before it is asked to, and nothing at all while a log is fetched.
 *
 * ```ts
 * const recorder = Recorder.attach(await openSerial());
 * recorder.start("run001");
 * // … later
 * recorder.stop();
 * const { bytes, integrity } = await recorder.fetch("run001");
 * ```
 */
export class Recorder {
  private constructor();

  /**
   * Takes both streams of an open link and locks them until {@link close}.
   * @throws {TypeError} if a stream is missing (the port is not open) or locked.
   */
  static attach(link: Link, options?: RecorderOptions): Recorder;

  readonly phase: ExportPhase;

  /**
   * Everything the device says that is no log: answers, echoes, its own logger. Untrusted. What nobody reads is kept
   * up to `outputLimit`. Always the same stream.
   */
  readonly chatter: ReadableStream<Uint8Array<ArrayBuffer>>;

  /** Resolves when the conversation is over: with the reason if the device was lost, without after `close()`. */
  readonly lost: Promise<LostError | undefined>;

  /**
   * Asks the device to record; its answer, if it has one, is {@link chatter}. A run id is 1 to 64 letters, digits,
   * `_`, `-` and `.`, and cannot be a path.
   * @throws {RangeError} if the run id is none. {@link BusyError} while a log is fetched. {@link LostError}
   */
  start(runId: string): void;

  /** Asks the device to end its recording. @throws {BusyError} while a log is fetched. {@link LostError} */
  stop(): void;

  /** Sends text or bytes as they are. @throws {BusyError} while a log is fetched. {@link LostError} */
  send(data: string | Uint8Array): void;

  /**
   * Asks for the log of a run. An experiment that still runs is refused by the device: `stop()` it first.
   * @throws {RangeError} if the run id is none. {@link BusyError} while another log is fetched. {@link LostError}
   */
  fetch(runId: string): Fetch;

  /**
   * Ends the conversation and unlocks both streams of the link; they stay open. A fetch under way rejects with
   * {@link ClosedError}. Never rejects, may be called twice.
   */
  close(): Promise<void>;

  /** `close()` without waiting. */
  free(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A log on its way. Await it for the log; iterate it for what happens until then.
 *
 * ```ts
 * const fetch = recorder.fetch("run001");
 * for await (const event of fetch) {
 *   if (event.kind === "body") received += event.bytes.length;
 * }
 * const { bytes } = await fetch;
 * ```
 */
export class Fetch implements AsyncIterable<ExportEvent>, PromiseLike<ExportedLog> {
  private constructor();

  /**
   * The log, once it is known to be whole. Rejects with {@link ExportError}, {@link CancelledError},
   * {@link ClosedError}. Once somebody iterates or has cancelled, nobody has to look at its failure.
   */
  readonly done: Promise<ExportedLog>;

  /** Gives it up. The protocol has no word for that: what the device still sends becomes {@link Recorder.chatter}. */
  cancel(): void;

  /** What makes `await` work: that of {@link done}. */
  then<A = ExportedLog, B = never>(
    fulfilled?: ((value: ExportedLog) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;

  /**
   * What happens, from when this is called. Ends with the log; throws when there is none. A loop that is left early
   * does not end the fetch.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<ExportEvent>;

  free(): void;
  [Symbol.dispose](): void;
}

/** What happens while a log is fetched. */
export type ExportEvent =
  /** The line was quiet, and the device has been asked. */
  | { readonly kind: "asked" }
  /** It said something that is no log. */
  | { readonly kind: "chatter"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It started anew. */
  | { readonly kind: "reset" }
  /** The header came. `total` is the size that a `"sized"` log announces, in bytes. */
  | { readonly kind: "begun"; readonly framing: "sized" | "marked"; readonly total: number | undefined }
  /** The next bytes of the log. They are not known to be right before {@link Fetch.done} resolves. */
  | { readonly kind: "body"; readonly bytes: Uint8Array<ArrayBuffer> };

/** A log that came whole. */
export interface ExportedLog {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly integrity: Integrity;
  /** In hexadecimal. */
  readonly crc32: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly warnings: readonly ExportWarning[];
}

/**
 * What says that a log is whole, from the strongest to the weakest: the device's checksum; its length and what follows
 * it, blind to changed bytes; as many lines as announced; `BEGIN` and `END` alone, blind to anything between.
 */
export type Integrity = "sha256" | "crc32" | "lengthAndTail" | "linesAndMarkers" | "markers";

/** The log is empty; it begins with a line `BEGIN` and ends with `END`; the device started anew before it sent it. */
export type ExportWarning = "empty" | "markers" | "resetSeen";

// ---------------------------------------------------------------------------------------------------------------
// Zylisp REPLs

export interface ZylispOptions {
  /** Bytes of an evaluation's output that are kept, for its result and unread for its iterator. Default 1 MiB. */
  outputLimit?: number;
}

export interface ZylispLocalOptions extends ZylispOptions {
  /** Past it, an evaluation ends with an error of type `limit-error`. Default: none. */
  evalTimeout?: number;
}

export interface ZylispConnectOptions extends ZylispOptions {
  /** How messages are written; as the server does. Default `"json"`. */
  codec?: "json" | "msgpack";
  /** The server's token, if it wants one. */
  token?: string;
  /** How long connecting may take. Default 10 000 ms. */
  timeout?: number;
}

/**
 * A session of a Zylisp REPL: what it defines stays as long as it lives, and nobody else sees it. The server is behind
 * a WebSocket (`flylead zylisp serve ws://…`), and may evaluate Zylisp or the Python of a board; or it runs in the page
 * itself, in slices of a few milliseconds, so that a loop without end neither freezes the page nor escapes
 * {@link interrupt}.
 *
 * ```ts
 * const zylisp = Zylisp.local();
 * const result = await zylisp.eval("(+ 1 2)");
 * if (result.kind === "value") console.log(result.value); // 3
 * ```
 */
export class Zylisp {
  private constructor();

  /**
   * Connects to a server. Rejects with {@link LinkError} (nobody there, or the server does not know this page's
   * origin), {@link TimeoutError}, {@link RefusedError} (the token), {@link UnsupportedError} (no `WebSocket` here).
   */
  static connect(url: string | URL, options?: ZylispConnectOptions): Promise<Zylisp>;

  /** Starts a server and the language in the page, for this session alone. */
  static local(options?: ZylispLocalOptions): Zylisp;

  /**
   * Evaluates all forms of a source. Several may be under way: they take turns in the order they were asked for.
   * Rejects with {@link RefusedError}, {@link LostError}, {@link ClosedError}; an error of the program is no rejection
   * but a result.
   */
  eval(code: string): Evaluation;

  /** Evaluates a file that lies on the server's side, below one of its folders. Like {@link eval}. */
  load(path: string): Evaluation;

  /** What the server is and can do. */
  describe(): Promise<ZylispDescription>;

  /**
   * Interrupts what runs here, or, with the name that the other session's {@link describe} tells, what runs there.
   * Resolves to whether there was anything.
   */
  interrupt(session?: string): Promise<boolean>;

  /** Resolves when the session is over: with the reason if the connection was lost, without after `close()`. */
  readonly lost: Promise<LostError | undefined>;

  /** Ends the session; what still runs is stopped, what is under way rejects with {@link ClosedError}. */
  close(): Promise<void>;

  /** `close()` without waiting. */
  free(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A source that is evaluated. Await it for its result; iterate it for its output while it comes.
 *
 * ```ts
 * const evaluation = zylisp.eval('(println "hello") (+ 1 2)');
 * for await (const text of evaluation) terminal.write(text);
 * const result = await evaluation;
 * ```
 */
export class Evaluation implements AsyncIterable<string>, PromiseLike<EvalResult> {
  private constructor();

  /** How it ended. Once somebody iterates, nobody has to look at its failure. */
  readonly done: Promise<EvalResult>;

  /** Bytes of output that were dropped, oldest first, because nobody iterated and `outputLimit` was reached. */
  readonly dropped: number;

  /** Ends it as soon as the server can, also while it waits for its turn: its result is `"interrupted"`. */
  interrupt(): void;

  /** The same as `done.then`, so that the evaluation can be awaited. */
  then<A = EvalResult, B = never>(
    onfulfilled?: ((result: EvalResult) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;

  /** Its output as it comes. A server that cannot stream sends all of it at the end. */
  [Symbol.asyncIterator](): AsyncIterableIterator<string>;

  free(): void;
  [Symbol.dispose](): void;
}

/** How an evaluation ended, and what it printed. */
export type EvalResult = {
  /** What it printed, up to `outputLimit`. */
  readonly output: string;
  /** Bytes of it beyond that, at least. */
  readonly omitted: number;
} & (
  | {
      readonly kind: "value";
      /** As JSON: lists are arrays, nil is `null`, functions and symbols are their text. */
      readonly value: Json;
      /** As the language prints it, with every digit of a long integer. */
      readonly text: string;
    }
  /** An error of the program: `type` is such as `type-error`, or a Python exception's name. */
  | { readonly kind: "error"; readonly type: string; readonly message: string }
  | { readonly kind: "interrupted" }
);

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a server tells of itself; servers differ in what else they tell. */
export interface ZylispDescription {
  readonly ops?: readonly string[];
  readonly versions?: { readonly [name: string]: string };
  readonly transports?: readonly string[];
  /** The name of this session, by which others may interrupt it. */
  readonly session?: string;
  /** What evaluates: `zylisp`, `micropython`. */
  readonly evaluator?: string;
  readonly [key: string]: Json | undefined;
}

// ---------------------------------------------------------------------------------------------------------------
// Errors: plain `Error`s, told apart by `name`

/** Another command is still under way; one at a time. */
export interface BusyError extends Error {
  readonly name: "BusyError";
}

/** The connection to the board or the server is over. */
export interface LostError extends Error {
  readonly name: "LostError";
  readonly reason: "closed" | "notEntered" | "timedOut" | "garbage" | "tooLong" | "failed";
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
 * answering, and is at its prompt again. `"unsupported"`: this board cannot do that. `"badAnswer"`: what it answered
 * cannot be read. `"raised"`: it raised something else.
 */
export type FileErrorKind =
  | "notFound"
  | "exists"
  | "isDirectory"
  | "notDirectory"
  | "notEmpty"
  | "noSpace"
  | "denied"
  | "noMemory"
  | "damaged"
  | "stalled"
  | "unsupported"
  | "badAnswer"
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
  | SessionError
  | TimeoutError
  | TooLongError
  | UnsupportedError;

/** Whether `error` is one of this package's, so that a `switch` over `error.name` is checked by the compiler. */
export function isFlyleadError(error: unknown): error is FlyleadError;
