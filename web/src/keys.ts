/** The page's shortcuts. They work wherever the focus is, so they are taken before the editor and the terminal see them. */

export interface Shortcuts {
  run: () => void;
  stop: () => void;
  save: () => void;
  /** From the program to the board and back. */
  cross: () => void;
}

export function listenForShortcuts(shortcuts: Shortcuts): void {
  addEventListener("keydown", (event) => {
    const wanted = shortcutOf(event);
    if (!wanted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    shortcuts[wanted]();
  }, { capture: true });
}

function shortcutOf(event: KeyboardEvent): keyof Shortcuts | undefined {
  const withControl = event.ctrlKey || event.metaKey;
  if (withControl && event.key === "Enter") return "run";
  if (withControl && event.key === ".") return "stop";
  if (withControl && event.key === "s") return "save";
  if (event.key === "F6" && !withControl && !event.altKey) return "cross";
  return undefined;
}
