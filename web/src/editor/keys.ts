/** A row of keys for writing Python with an on-screen keyboard: those that it hides or lacks. */

import { acceptCompletion, completionStatus } from "@codemirror/autocomplete";
import { cursorCharLeft, cursorCharRight, cursorLineDown, cursorLineUp, indentMore } from "@codemirror/commands";
import type { Command, EditorView } from "@codemirror/view";
import { element, make } from "../ui/dom.ts";
import { texts } from "../texts/program.ts";
import "./keys.css";

/** Adds the row, which is shown below the editor while that is focused by touch. */
export function addKeys(view: EditorView): void {
  const row = make("div", "", "keys");
  row.role = "toolbar";
  row.ariaLabel = texts.keys;
  const actions: [string, string, () => unknown][] = [
    ["⇥", texts.keyTab, () => (completionStatus(view.state) === "active" ? acceptCompletion(view) : indentMore(view))],
    ...TYPED.map((text): [string, string, () => unknown] => [text, text, () => type(view, text)]),
    ...MOVES.map(([sign, name, move]): [string, string, () => unknown] => [sign, texts[name], () => move(view)]),
    ["^C", texts.keyStop, () => element("stop").click()],
  ];
  for (const [sign, label, act] of actions) {
    const key = make("button", sign, "quiet");
    key.type = "button";
    key.ariaLabel = label;
    key.tabIndex = -1; // Whoever has a Tab key has these, too.
    // The focus, and thus the keyboard, stays where it is.
    key.addEventListener("pointerdown", (event) => event.preventDefault());
    key.addEventListener("click", act);
    row.append(key);
  }
  view.dom.parentElement?.after(row);
}

function type(view: EditorView, text: string): void {
  view.dispatch(view.state.replaceSelection(text), { userEvent: "input.type", scrollIntoView: true });
}

const TYPED = ["(", ")", "[", "]", ":", "=", '"', "'", "_", "#"];
const MOVES: readonly (readonly [string, "keyLeft" | "keyUp" | "keyDown" | "keyRight", Command])[] = [
  ["←", "keyLeft", cursorCharLeft],
  ["↑", "keyUp", cursorLineUp],
  ["↓", "keyDown", cursorLineDown],
  ["→", "keyRight", cursorCharRight],
];
