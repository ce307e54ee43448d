/** The page's shortcuts. They work wherever the focus is, so they are taken before the editor and the terminal see them. */

export interface Shortcuts {
  run: () => void;
  stop: () => void;
  save: () => void;
  /** From the program to the board and back. */
  cross: () => void;
  /** To a tool, by its place from 0. */
  tool: (place: number) => void;
}

export function listenForShortcuts(shortcuts: Shortcuts): void {
  addEventListener("keydown", (event) => {
    const wanted = shortcutOf(event);
    if (wanted === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (typeof wanted === "number") shortcuts.tool(wanted);
    else shortcuts[wanted]();
  }, { capture: true });
}

function shortcutOf(event: KeyboardEvent): Exclude<keyof Shortcuts, "tool"> | number | undefined {
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && event.key === "Enter") return "run";
  if (withControl && event.key === ".") return "stop";
  if (withControl && event.key === "s") return "save";
  const digit = /^Digit([1-4])$/.exec(event.code)?.[1];
  if (digit && event.altKey && !withControl) return Number(digit) - 1;
  if (event.key === "F6" && !withControl && !event.altKey) return "cross";
  return undefined;
}
