/** The editor: CodeMirror with Python, a state for each document, one highlighted line, and colors from the page's CSS. */

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, defaultHighlightStyle, foldGutter, foldInside, foldKeymap, foldNodeProp, HighlightStyle, indentOnInput, indentUnit, LRLanguage, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Prec, StateEffect, StateField, Transaction } from "@codemirror/state";
import { crosshairCursor, Decoration, type DecorationSet, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { parser } from "@lezer/python";
import type { Breakpoint } from "./breakpoints/breakpoint.ts";
import { breakpoints, placing, stopping } from "./breakpoints/gutter.ts";
import { hover, type ValueOf } from "./hover.ts";
import { type Later, makeLater } from "./later.ts";
import { isPython } from "./names.ts";
import { settings, watchSettings } from "../storage/settings.ts";
import { phrases } from "../texts/phrases.ts";
import { texts } from "../texts/program.ts";
import { type Assistance, makeAssistance } from "./writing/assistance.ts";
import type { Report, Surroundings } from "./writing/help.ts";
import "./editor.css";

export interface Editor {
  /** Shows a document, in its previous state if it was shown before. The file's `name` determines the language. */
  show(id: string, text: string, name: string, breakpoints: readonly Breakpoint[]): void;
  /** Forgets a document that is not shown, with its history. */
  drop(id: string): void;
  /** Returns the current text of the displayed document. */
  text(): string;
  /**
   * Returns the lines that are selected at least in part, or the one with the cursor, and the number of the first (from
   * 1).
   */
  selection(): { text: string; line: number };
  /** Returns the name at the cursor, such as `machine.Pin`; empty if there is none. */
  nameAtCursor(): string;
  /** Replaces the text; undo restores the old one. */
  replace(text: string): void;
  /** Updates the displayed document to text that another tab has typed: the cursor stays, and undo ignores the change. */
  follow(text: string): void;
  /** Marks one line (from 1) as the one that failed, and scrolls to it. */
  mark(line: number, message: string): void;
  /** Removes the mark. */
  unmark(): void;
  /** Moves the cursor to a line (from 1), or only the focus into the editor. */
  focus(line?: number): void;
  /** Sets the displayed document's breakpoints. */
  place(breakpoints: readonly Breakpoint[]): void;
  /** Marks the line (from 1) of a document at which the program is stopped, or none. */
  stopAt(where: { id: string; line: number } | undefined): void;
}

/** Receivers of the editor's events and questions. */
export interface EditorOptions {
  changed: (id: string, text: string) => void;
  /** Called with the current breakpoints of a document. */
  moved: (id: string, breakpoints: readonly Breakpoint[]) => void;
  /** Announces a text to screen readers. */
  say: (text: string) => void;
  valueOf: ValueOf;
  /** Reports a failure of the writing aids. */
  report: Report;
  /** Returns the surroundings of the shown document. */
  surroundings: () => Surroundings;
}

export function openEditor(parent: HTMLElement, options: EditorOptions): Editor {
  const view = new EditorView({ parent });
  if (matchMedia("(any-pointer: coarse)").matches) void import("./keys.ts").then(({ addKeys }) => addKeys(view)).catch(() => undefined);
  const assistance = makeAssistance(view, options.report, options.surroundings);
  const later = makeLater(view, options.report);
  const left = new Map<string, EditorState>();
  let shown: string | undefined;
  let stopped: { id: string; line: number } | undefined;
  const fresh = (id: string, text: string, name: string, first: readonly Breakpoint[]) =>
    EditorState.create({ doc: text, extensions: [extensions(text, name, later, assistance, (now) => options.changed(id, now)), breakpoints(first, { moved: (now) => options.moved(id, now), say: options.say }), hover(options.valueOf)] });
  watchSettings(({ indent }) => {
    view.dispatch({ effects: indentation.reconfigure(indentedBy(indent)) });
    view.requestMeasure(); // The letters may be of another size.
  });
  const showStop = () => view.dispatch(stopping(view.state, stopped?.id === shown ? stopped?.line : undefined));
  return {
    show(id, text, name, first) {
      if (id === shown) return;
      if (shown !== undefined) left.set(shown, view.state);
      shown = id;
      const state = left.get(id);
      view.setState(state && state.sliceDoc() === text ? state : fresh(id, text, name, first));
      view.dispatch({ effects: [indentation.reconfigure(indentedBy(settings().indent)), later.renew(name), assistance.renew()] });
      showStop();
    },
    drop: (id) => void left.delete(id),
    text: () => view.state.sliceDoc(),
    selection: () => selectedLines(view.state),
    nameAtCursor: () => nameAtCursor(view.state),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) }, selection: { anchor: 0 } }),
    follow: (text) => view.dispatch({ changes: difference(view.state.sliceDoc(), text), annotations: Transaction.addToHistory.of(false) }),
    mark: (line, message) => mark(view, line, message),
    unmark: () => view.dispatch({ effects: setMark.of(null) }),
    focus: (line) => focus(view, line),
    place: (wanted) => view.dispatch(placing(wanted)),
    stopAt: (where) => ((stopped = where), showStop()),
  };
}

function selectedLines({ doc, selection }: EditorState): { text: string; line: number } {
  const { from, to } = selection.main;
  const [first, end] = [doc.lineAt(from), doc.lineAt(to)];
  // A selection that ends before the first character of a line includes nothing of that line.
  const last = end.number > first.number && to === end.from ? doc.line(end.number - 1) : end;
  return { text: doc.sliceString(first.from, last.to), line: first.number };
}

/** Returns the dotted name, up to the part with the cursor. */
function nameAtCursor({ doc, selection }: EditorState): string {
  const { head } = selection.main;
  const { from, text } = doc.lineAt(head);
  for (const { 0: name, index } of text.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/gu)) {
    const at = head - from - index;
    if (at < 0 || at > name.length) continue;
    const end = name.indexOf(".", at);
    return end < 0 ? name : name.slice(0, end);
  }
  return "";
}

/** Returns the change between two texts, shortened by their common beginning and end. */
function difference(from: string, to: string): { from: number; to: number; insert: string } {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < most - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  return { from: start, to: from.length - end, insert: to.slice(start, to.length - end) };
}

/** Returns the visible part of a file's language, by its name: indentation and completion are loaded later. */
export function languageOf(name: string): Extension {
  return isPython(name) ? [python, indentUnit.of("    ")] : [];
}

/** Python with the foldable parts of `@codemirror/lang-python`. */
const python = LRLanguage.define({
  name: "python",
  parser: parser.configure({
    props: [
      foldNodeProp.add({
        "ArrayExpression DictionaryExpression SetExpression TupleExpression": foldInside,
        Body: (node, state) => ({ from: node.from + 1, to: node.to - (node.to === state.doc.length ? 0 : 1) }),
      }),
    ],
  }),
});

const indentation = new Compartment();

function indentedBy(width: number): Extension {
  return [indentUnit.of(" ".repeat(width)), EditorState.tabSize.of(width)];
}

function extensions(text: string, name: string, later: Later, assistance: Assistance, onChange: (text: string) => void): Extension {
  return [
    Prec.highest(keymap.of([{ key: "Escape", run: letTabLeave }])),
    keymap.of([indentWithTab]),
    EditorState.phrases.of(phrases),
    later.extension(name),
    setup,
    indentation.of(indentedBy(settings().indent)),
    languageOf(name),
    isPython(name) ? assistance.extension() : [],
    // A file keeps its line ends.
    text.includes("\r\n") ? EditorState.lineSeparator.of("\r\n") : [],
    appearance,
    markedLine,
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": name === "program.py" ? texts.editorOfProgram : texts.editorOf({ name }) }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.sliceDoc());
    }),
  ];
}

/** CodeMirror's `basicSetup` without the parts that are loaded later. */
const setup: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  foldGutter(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
  bracketMatching(),
  rectangularSelection(),
  crosshairCursor(),
  highlightActiveLine(),
  keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
];

/** Lets Tab leave the editor after Escape, even if that Escape has also closed a list of completions. */
function letTabLeave(view: EditorView): boolean {
  view.setTabFocusMode(ESCAPE_WINDOW_MS);
  return false;
}

function mark(view: EditorView, line: number, message: string): void {
  const found = lineAt(view, line);
  view.dispatch({ effects: [setMark.of({ from: found.from, message }), EditorView.scrollIntoView(found.from, { y: "center" })] });
}

function focus(view: EditorView, line?: number): void {
  if (line !== undefined) view.dispatch({ selection: { anchor: lineAt(view, line).from }, scrollIntoView: true });
  view.focus();
}

function lineAt(view: EditorView, line: number) {
  return view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
}

const setMark = StateEffect.define<{ from: number; message: string } | null>();

/** Failed line, which stays marked while the text around it changes, until it is edited or the mark is removed. */
const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMark)) next = effect.value ? decorate(effect.value) : Decoration.none;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorate({ from, message }: { from: number; message: string }): DecorationSet {
  return Decoration.set(Decoration.line({ class: "failed-line", attributes: { title: message } }).range(from));
}

/** Time after Escape in which a Tab still leaves. */
const ESCAPE_WINDOW_MS = 2000;

// Colors come from the page's custom properties, so light and dark need no second theme.
const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--code-name)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
]);

/** Look of code throughout the page. */
export const appearance: Extension = syntaxHighlighting(highlight);
