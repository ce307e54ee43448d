/** Interfaces between the parts of the help for writing. */

import type { EditorState } from "@codemirror/state";
import type { BoardNames } from "../../boards/connection/names.ts";

/** Surroundings for which a program is written. */
export interface Surroundings {
  /** The board's `sys.platform`, once it has said it. */
  platform: string;
  /** True if that board is connected now. */
  isThere: boolean;
  /** Names that the board has, once it has listed them. */
  names: BoardNames | undefined;
  /** Resolves when a board that can be asked now has listed those that the open programs import. */
  learned: Promise<void>;
  /** Path of the shown document, real or intended. */
  path: string;
  /** The other documents in Python, and the modules of the board that are not open. */
  others: readonly { path: string; text: string }[];
}

/** A question about a place in the document that is shown. */
export type Ask = <T>(state: EditorState, method: string, at: number) => Promise<T | undefined>;

/** Says what could not be done, `isAsked` if the person waits for it. */
export type Report = (error: unknown, isAsked: boolean) => void;
