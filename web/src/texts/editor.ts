/** Texts of the editor: about breakpoints, and in CodeMirror's own panels. */

import { spoken } from "./index.ts";

/**
 * CodeMirror's texts that are displayed or read out here (codemirror.net, “International”); the English ones are its
 * own.
 */
type Phrase =
  | "Find" | "Replace" | "next" | "previous" | "all" | "match case" | "by word" | "regexp" | "replace" | "replace all" | "close"
  | "current match" | "replaced $ matches" | "replaced match on line $" | "on line" | "Go to line" | "go" | "Selection deleted"
  | "Folded lines" | "Unfolded lines" | "to" | "folded code" | "unfold" | "Fold line" | "Unfold line"
  | "Completions" | "Diagnostics" | "No diagnostics" | "$ unchanged lines";

export const english = {
  phrases: {} as Record<Phrase, string>,
  // Breakpoints.
  breakpoint: (line: number) => `Breakpoint in line ${line}`,
  specialBreakpoint: (line: number) => `Breakpoint in line ${line}, under a condition or with a message`,
  noBreakpoint: (line: number) => `No breakpoint in line ${line} any more`,
  noCode: "There is no code at this line or after it",
  set: "Set",
  condition: "Stop only where this is true",
  hits: "Stop only at these times",
  log: "Say this instead of stopping",
  logExample: "value is {value}",
  changesOf: (name: string) => `Changes of ${name}`,
};

export const texts = spoken("editor", english);
