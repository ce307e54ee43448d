/** Prompt for programs: an editor that grows with its lines, and supports Zylisp's brackets and the server's names. */

import { autocompletion, closeCompletion, completionStatus, type CompletionContext, type CompletionResult, acceptCompletion, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history as undoable, historyKeymap, insertNewline } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder } from "@codemirror/view";
import type { Completion } from "flylead/zylisp";
import { appearance } from "../../editor/editor.ts";
import { phrases } from "../../texts/phrases.ts";
import { texts } from "../../texts/tools/zylisp.ts";
import type { History } from "./history.ts";
import { nameBefore, zylisp } from "./syntax.ts";

export interface Prompt {
  text(): string;
  put(text: string): void;
  focus(): void;
  /** Sets whether the input is Zylisp, and highlighted accordingly. */
  speak(isZylisp: boolean): void;
  close(): void;
}

export interface PromptOptions {
  readonly history: History;
  /** Called when Enter was pressed after a complete program. */
  evaluate(): void;
  isUnfinished(source: string): boolean;
  /** Returns the known names with this prefix. */
  complete(prefix: string): Promise<readonly Completion[]>;
  /** Returns the explanation shown beside a name in the list. */
  explain(name: string): Promise<Node | null>;
  /** Reports a change of the text before the cursor. */
  moved(before: string): void;
}

/**
 * Opens the editor in `parent`. Enter evaluates a complete program and otherwise begins a new line, as Shift+Enter
 * always does.
 */
export function openPrompt(parent: HTMLElement, options: PromptOptions): Prompt {
  const language = new Compartment();
  const view = new EditorView({ parent, extensions: [keymap.of(keys(options)), language.of([]), ...basics(), completing(options), listening(options)] });
  return {
    text: () => view.state.sliceDoc(),
    put: (text) => put(view, text),
    focus: () => view.focus(),
    speak: (isZylisp) => view.dispatch({ effects: language.reconfigure(isZylisp ? zylisp : []) }),
    close: () => view.destroy(),
  };
}

function basics(): Extension[] {
  return [
    EditorState.phrases.of(phrases),
    undoable(),
    drawSelection(),
    bracketMatching(),
    appearance,
    EditorView.lineWrapping,
    placeholder("(+ 1 2)"),
    keymap.of([...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ "aria-label": texts.code, "aria-describedby": "zylisp-signature", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
  ];
}

function keys({ history, evaluate, isUnfinished, complete }: PromptOptions) {
  const walk = (by: -1 | 1) => (view: EditorView) => {
    const line = isAtEdge(view, by) ? history.step(by, view.state.sliceDoc()) : undefined;
    if (line !== undefined) put(view, line);
    return line !== undefined;
  };
  const enter = (view: EditorView) => {
    if (acceptCompletion(view)) return true;
    if (isUnfinished(view.state.sliceDoc())) return insertNewline(view);
    return (evaluate(), true);
  };
  return [
    { key: "Enter", run: enter, shift: insertNewline },
    { key: "ArrowUp", run: walk(-1) },
    { key: "ArrowDown", run: walk(1) },
    { key: "Tab", run: (view: EditorView) => acceptCompletion(view) || completeName(view, complete) },
  ];
}

/** Returns true if the arrow leads out of the text, and not to another item in a list of completions. */
function isAtEdge({ state }: EditorView, by: -1 | 1): boolean {
  if (completionStatus(state) === "active") return false;
  const { number } = state.doc.lineAt(state.selection.main.head);
  return by < 0 ? number === 1 : number === state.doc.lines;
}

/**
 * Adds the common beginning of all names that complete the one at the cursor, and lists them if there are several.
 * Without a name, Tab leaves.
 */
function completeName(view: EditorView, complete: PromptOptions["complete"]): boolean {
  const { head } = view.state.selection.main;
  const prefix = nameBefore(view.state.sliceDoc(0, head));
  if (prefix === "") return false;
  void complete(prefix).then((names) => {
    if (view.state.selection.main.head !== head || nameBefore(view.state.sliceDoc(0, head)) !== prefix) return;
    const common = names.map(({ candidate }) => candidate).reduce(commonStart, names[0]?.candidate ?? prefix);
    view.dispatch({ changes: { from: head - prefix.length, to: head, insert: common }, selection: { anchor: head - prefix.length + common.length } });
    if (names.length > 1) startCompletion(view);
  });
  return true;
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

function completing({ complete, explain }: PromptOptions): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult> => {
    const prefix = nameBefore(context.state.sliceDoc(0, context.pos));
    const names = await complete(prefix);
    return { from: context.pos - prefix.length, options: names.map(({ candidate }) => ({ label: candidate, info: () => explain(candidate) })), filter: false };
  };
  return autocompletion({ override: [source], activateOnTyping: false, icons: false, aboveCursor: true, interactionDelay: 0 });
}

function listening({ moved }: PromptOptions): Extension {
  return EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (docChanged || selectionSet) moved(state.sliceDoc(0, state.selection.main.head));
  });
}

function put(view: EditorView, text: string): void {
  closeCompletion(view);
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: view.state.toText(text).length }, scrollIntoView: true });
}
