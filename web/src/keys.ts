/** The page's shortcuts. They work wherever the focus is, so they are taken before the editor and the terminal see them. */

export interface Shortcuts {
  run: () => void;
  stop: () => void;
  save: () => void;
  /** From the program to the board and back. */
  cross: () => void;
  /** To a tool, by its place from 0. */
  tool: (place: number) => void;
  /** What a key of debuggers does, if the page debugs now or could. */
  debug: (command: DebugCommand) => boolean;
}

/** The keys are those of Visual Studio Code, but for F6. */
export type DebugCommand = "go" | "stop" | "over" | "into" | "out";

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
  if (key === "F11") return shiftKey ? "out" : "into";
  return undefined;
}

function shortcutOf(event: KeyboardEvent): Exclude<keyof Shortcuts, "tool" | "debug"> | number | undefined {
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && event.key === "Enter") return "run";
  if (withControl && event.key === ".") return "stop";
  if (withControl && event.key === "s") return "save";
  const digit = /^Digit([1-4])$/.exec(event.code)?.[1];
  if (digit && event.altKey && !withControl) return Number(digit) - 1;
  if (event.key === "F6" && !withControl && !event.altKey) return "cross";
  return undefined;
}
