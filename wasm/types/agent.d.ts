/// <reference lib="esnext.disposable" />

/** `flylead/agent`: an LLM works on files through text that a person copies back and forth. */

import type { AgentFile, AgentReplyOptions, AgentStep } from "../pkg/agent/flylead_wasm.js";
import type { Board, WasmSource } from "./index.js";

export {
  applyEdit,
  applyReply,
  judgePath,
  looksSecret,
  newSession,
  parseInbox,
  readSession,
  renderOutbox,
  showFiles,
  splitOutbox,
  type AgentContents,
  type AgentEcho,
  type AgentEdit,
  type AgentFile,
  type AgentInbox,
  type AgentItem,
  type AgentOutbox,
  type AgentReadingOptions,
  type AgentReplyOptions,
  type AgentSessionOptions,
  type AgentStep,
} from "../pkg/agent/flylead_wasm.js";
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
  /** Results of the commands of the last reply. */
  readonly lastResults: readonly AgentResult[];
  /** Content of the next outbox. */
  readonly readFileRequests: readonly AgentReadRequest[];
}

/** Result of one command. */
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
  | { readonly kind: "APPEND_FILE"; readonly path: string; readonly content: string }
  | {
      readonly kind: "EDIT_FILE";
      readonly path: string;
      readonly lines: { readonly first: number; readonly last: number };
      readonly replacement: string;
      readonly expect?: string;
      readonly sha?: string;
    }
  | {
      readonly kind: "REPLACE_TEXT";
      readonly path: string;
      /** Whole lines that are in the file once, and those in their place. */
      readonly replacements: readonly { readonly find: string; readonly replace: string }[];
      readonly sha?: string;
    }
  | { readonly kind: "DELETE_FILE"; readonly path: string }
  | { readonly kind: "READ_FILE"; readonly path: string; readonly numbered: boolean; readonly first?: number; readonly last?: number }
  | { readonly kind: "RUN_COMMAND"; readonly command: string }
  | { readonly kind: "MESSAGE"; readonly text: string }
  | { readonly kind: "DONE"; readonly summary: string };

/** Place in which the commands work. Paths are clean, relative, with `/`; all may reject, which the LLM is told. */
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

/** A file before and after a step. */
export type AgentChange = Extract<AgentStep, { kind: "change" }> & {
  /** `undefined`: there is no file before, or after. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  readonly summary: string;
};

/** A step of a reply that would change a file or run a command. */
export type AgentPreview = AgentChange | Extract<AgentStep, { kind: "run" }>;

/**
 * Previews the effect of a reply, its commands in order; nothing is carried out. `results` also has
 * the failures to expect, and counts every shell command as a success. Rejects with {@link
 * RejectedError}.
 */
export function previewReply(
  session: AgentSession,
  reply: string | Uint8Array,
  workspace: AgentWorkspace,
  options?: AgentReplyOptions,
): Promise<{ previews: AgentPreview[]; results: readonly AgentResult[] }>;
