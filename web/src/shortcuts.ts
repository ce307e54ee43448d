/** All keys of the page, in a dialog. */

import { showDialog } from "./dialog.ts";
import { make } from "./dom.ts";
import "./facts.css";

export function openShortcuts(): void {
  const content = make("div", "", "content");
  content.tabIndex = 0; // It may have to be scrolled, and there is nothing in it that takes the focus.
  content.role = "region";
  content.ariaLabel = "All keys";
  for (const [title, keys] of KEYS) {
    const list = make("dl", "", "facts");
    list.append(...keys.flatMap(([pressed, what]) => [keysOf(pressed), make("dd", what)]));
    content.append(make("h3", title), list);
  }
  void showDialog("Keys", content, "listing");
}

function keysOf(pressed: string): HTMLElement {
  const name = make("dt");
  pressed.split(" ").forEach((key) => name.append(make("kbd", key), " "));
  return name;
}

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  ["The program", [
    ["Ctrl Enter", "Run it"],
    ["Ctrl Shift Enter", "Run the lines that are selected, or the one with the cursor, and keep all variables"],
    ["Ctrl .", "Stop what runs on the board"],
    ["Ctrl S", "Save"],
    ["Ctrl F", "Find in this document"],
    ["Ctrl Shift F", "Find in all files"],
    ["F1", "MicroPython's documentation for the name at the cursor, in a new tab"],
    ["Ctrl Space", "Complete the name"],
    ["Shift Alt F", "Format it"],
    ["F8", "The next mistake, and what it is"],
    ["Ctrl Shift M", "List the mistakes"],
    ["Ctrl /", "Make the lines comments, and back"],
    ["Ctrl Z", "Undo"],
  ]],
  ["The debugger", [
    ["F9", "Set or take a breakpoint"],
    ["F5", "Debug, or go on"],
    ["F10", "Step over"],
    ["F11", "Step into"],
    ["Shift F11", "Step out"],
    ["Shift F5", "Stop"],
  ]],
  ["The page", [
    ["F6", "From the tool to the board and back"],
    ["Alt 1–4", "Program, Experiments, Agent, Zylisp"],
    ["Esc Tab", "Leave the editor or the terminal"],
    ["?", "This list"],
  ]],
];
