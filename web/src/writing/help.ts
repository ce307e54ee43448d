/** What the parts of the help at writing are given, and tell. */

import type { EditorState } from "@codemirror/state";

/** What a program is written for, and beside. */
export interface Surroundings {
  /** The board's `sys.platform`, once it has said it. */
  platform: string;
  /** Whether that board is there now. */
  isThere: boolean;
  /** Where the document that is shown is, or would be. */
  path: string;
  /** The other documents in Python, and the modules of the board that are not open. */
  others: readonly { path: string; text: string }[];
}

/** A question about a place in the document that is shown. */
export type Ask = <T>(state: EditorState, method: string, at: number) => Promise<T | undefined>;

/** Says what could not be done, `isAsked` if the person waits for it. */
export type Report = (error: unknown, isAsked: boolean) => void;
