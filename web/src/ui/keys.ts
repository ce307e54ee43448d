/**
 * The page's shortcuts. They work regardless of the focus, so they are handled before the editor and the terminal see
 * them.
 */

export interface Shortcuts {
  run: () => void;
  /** Runs the selection. */
  runSelection: () => void;
  stop: () => void;
  save: () => void;
  /** Opens the search in all files. */
  find: () => void;
  /** Explains the name at the cursor. */
  explain: () => void;
  /** Lists these shortcuts. */
  list: () => void;
  /** Moves between the program and the board. */
  cross: () => void;
  /** Opens a tool, by its place from 0. */
  tool: (place: number) => void;
  /** Handles a debugger's key, if the page is debugging or could. */
  debug: (command: DebugCommand) => boolean;
}

/** Debugger commands; their keys are those of Visual Studio Code, except for F6, and F7 of Thonny. */
export type DebugCommand = "go" | "stop" | "over" | "into" | "out" | "part";

export function listenForShortcuts(shortcuts: Shortcuts): void {
  addEventListener("keydown", (event) => {
    const debug = debugCommandOf(event);
    const wanted = shortcutOf(event);
    if (debug ? !shortcuts.debug(debug) : wanted === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (typeof wanted === "number") shortcuts.tool(wanted);
    else if (wanted !== undefined) shortcuts[wanted]();
  }, { capture: true });
}

function debugCommandOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): DebugCommand | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "F5") return shiftKey ? "stop" : "go";
  if (key === "F10" && !shiftKey) return "over";
  if (key === "F7" && !shiftKey) return "part";
  if (key === "F11") return shiftKey ? "out" : "into";
  return undefined;
}

/** Returns true if the key is input for a text, or for a dialog. */
function isTyped({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable], dialog") !== null;
}

function shortcutOf(event: KeyboardEvent): Exclude<keyof Shortcuts, "tool" | "debug"> | number | undefined {
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && event.key === "Enter") return event.shiftKey ? "runSelection" : "run";
  if (withControl && event.shiftKey && event.key.toLowerCase() === "f") return "find";
  if (event.key === "F1" && !withControl && !event.altKey && !event.shiftKey) return "explain";
  if (event.key === "?" && !withControl && !event.altKey && !isTyped(event)) return "list";
  if (withControl && event.key === ".") return "stop";
  if (withControl && event.key === "s") return "save";
  const digit = /^Digit([1-4])$/.exec(event.code)?.[1];
  if (digit && event.altKey && !withControl) return Number(digit) - 1;
  if (event.key === "F6" && !withControl && !event.altKey) return "cross";
  return undefined;
}
