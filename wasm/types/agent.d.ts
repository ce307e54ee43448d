/// <reference lib="esnext.disposable" />

/** `flylead/agent`: an LLM works on files through text that a person copies to and fro. */

import type { Board, WasmSource } from "./index.js";

export { isFlyleadError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

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
    /** How the lines of new files end; a file that is there keeps its own way. Default `"lf"`. */
    eol?: "lf" | "crlf";
    /** What the LLM sees of a command's output beyond 4000 characters: beginning and end (the default), or the beginning alone. */
    truncate?: "middle" | "head";
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

/** What a reply asks for next; paths are clean. */
export type AgentStep =
  | { readonly kind: "change"; readonly line: number; readonly path: string; readonly name: "CREATE_FILE" | "EDIT_FILE" | "DELETE_FILE" }
  | { readonly kind: "read"; readonly line: number; readonly path: string }
  | { readonly kind: "run"; readonly line: number; readonly command: string };

/** A file before and after a step. */
export type AgentChange = Extract<AgentStep, { kind: "change" }> & {
  /** `undefined`: there is no file before, or after. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  readonly summary: string;
};

export interface AgentReplyOptions extends AgentReadingOptions {
  /** The text begins with a copy of an outbox, and what follows it is meant. */
  acceptCopy?: boolean;
  /** Process it although it was processed before, or says that it answers another outbox. */
  force?: boolean;
  /**
   * Whether a step is done; the LLM is told of those that are not. Without it, files are read and changed, and no
   * command runs.
   */
  approve?: (step: AgentStep) => boolean | Promise<boolean>;
  /**
   * A file is about to be changed: keep what it was, so that it can be put back. What this rejects with is told to the
   * LLM, and the file stays as it is.
   */
  onChange?: (change: AgentChange) => void | Promise<void>;
  /** What follows its abortion is not done; the LLM is told. */
  signal?: AbortSignal;
}

/** A step of a reply that would change a file or run a command. */
export type AgentPreview = AgentChange | Extract<AgentStep, { kind: "run" }>;

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
