/** Breakpoints beside the line numbers, and the line at which the program is stopped. */

import { type EditorState, type Extension, RangeSet, StateEffect, StateField, type Text, type TransactionSpec } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, EditorView as View, GutterMarker, gutterLineClass, keymap, lineNumberMarkers, lineNumbers } from "@codemirror/view";

import { texts } from "../../texts/editor.ts";
import { askDetails, type Breakpoint, type BreakpointDetails, isSame, isSpecial } from "./breakpoint.ts";

export interface BreakpointOptions {
  /** Called with the current breakpoints after a change. */
  moved: (breakpoints: readonly Breakpoint[]) => void;
  /** Announces the result of the person's action to a screen reader. */
  say: (text: string) => void;
}

/** Creates the extension for a document with these initial breakpoints. */
export function breakpoints(first: readonly Breakpoint[], { moved, say }: BreakpointOptions): Extension {
  return [
    placed.init(({ doc }) => marksAt(doc, first)),
    lineNumbers({
      domEventHandlers: {
        mousedown: (view, { from }, event) => isPlainClick(event) && (say(toggle(view, from)), true),
        contextmenu: (view, { from }) => (void edit(view, from).then(say), true),
      },
    }),
    keymap.of([
      { key: "F9", run: (view) => (say(toggle(view, view.state.selection.main.head)), true) },
      { key: "Shift-F9", run: (view) => (void edit(view, view.state.selection.main.head).then(say), true) },
    ]),
    View.updateListener.of(({ state, startState }) => {
      const now = breakpointsOf(state);
      if (!isSame(now, breakpointsOf(startState))) moved(now);
    }),
    stopped,
  ];
}

function breakpointsOf(state: EditorState): Breakpoint[] {
  const marks = state.field(placed, false);
  return marks ? breakpointsIn(state.doc, marks) : [];
}

/** Replaces the breakpoints. */
export function placing(breakpoints: readonly Breakpoint[]): TransactionSpec {
  return { effects: place.of(breakpoints) };
}

/** Marks the line (from 1) at which the program is stopped, or none. */
export function stopping(state: EditorState, line: number | undefined): TransactionSpec {
  const from = line === undefined ? null : state.doc.line(Math.min(Math.max(line, 1), state.doc.lines)).from;
  return { effects: from === null ? stopAt.of(null) : [stopAt.of(from), View.scrollIntoView(from, { y: "center" })] };
}

/** Sets or removes a breakpoint, and returns a description. On a line without code it moves to the next line with code. */
function toggle(view: EditorView, at: number): string {
  const { doc } = view.state;
  const line = lineWithCode(doc, doc.lineAt(at).number);
  if (line === undefined) return texts.noCode;
  const before = breakpointsOf(view.state);
  const others = before.filter((one) => one.line !== line);
  const isThere = others.length < before.length;
  view.dispatch(placing(isThere ? others : [...others, { line }]));
  return isThere ? texts.noBreakpoint({ line }) : texts.breakpoint({ line });
}

/** Asks for the details of a line's breakpoint, and sets it if there is none. Returns a description. */
async function edit(view: EditorView, at: number): Promise<string> {
  const { doc } = view.state;
  const line = lineWithCode(doc, doc.lineAt(at).number);
  if (line === undefined) return texts.noCode;
  const others = breakpointsOf(view.state).filter((one) => one.line !== line);
  const details = await askDetails(breakpointsOf(view.state).find((one) => one.line === line) ?? { line });
  // Another document, or another version of this one, may be shown by now.
  if (!details || view.state.doc !== doc) return "";
  view.dispatch(placing([...others, { line, ...details }]));
  return isSpecial(details) ? texts.specialBreakpoint({ line }) : texts.breakpoint({ line });
}

function isPlainClick(event: Event): boolean {
  return event instanceof MouseEvent && event.button === 0;
}

/** Returns the next line that may have code. The debugger's parser knows better, and moves breakpoints again at the start. */
function lineWithCode(doc: Text, from: number): number | undefined {
  for (let line = from; line <= doc.lines; line += 1) if (!/^\s*(#|$)/.test(doc.line(line).text)) return line;
  return undefined;
}

function breakpointsIn(doc: Text, marks: RangeSet<BreakpointMark>): Breakpoint[] {
  const found = new Map<number, Breakpoint>();
  for (const cursor = marks.iter(); cursor.value; cursor.next()) {
    const line = doc.lineAt(cursor.from).number;
    if (!found.has(line)) found.set(line, { line, ...cursor.value.details });
  }
  return [...found.values()];
}

function marksAt(doc: Text, breakpoints: readonly Breakpoint[]): RangeSet<BreakpointMark> {
  const byLine = new Map(breakpoints.map(({ line, ...details }) => [line, details]));
  const present = [...byLine].filter(([line]) => line >= 1 && line <= doc.lines).sort(([one], [other]) => one - other);
  return RangeSet.of(present.map(([line, details]) => new BreakpointMark(details).range(doc.line(line).from)));
}

class Mark extends GutterMarker {
  override readonly elementClass: string;

  constructor(elementClass: string) {
    super();
    this.elementClass = elementClass;
  }
}

class BreakpointMark extends Mark {
  readonly details: BreakpointDetails;

  constructor(details: BreakpointDetails) {
    super(isSpecial(details) ? "breakpoint conditional" : "breakpoint");
    this.details = details;
  }
}

const STOPPED = new Mark("stopped");

const place = StateEffect.define<readonly Breakpoint[]>();
const stopAt = StateEffect.define<number | null>();

/** Breakpoints, which stay with their lines while the text around them changes. */
const placed = StateField.define<RangeSet<BreakpointMark>>({
  create: () => RangeSet.empty,
  update(marks, { changes, docChanged, effects, newDoc }) {
    let next = docChanged ? marksAt(newDoc, breakpointsIn(newDoc, marks.map(changes))) : marks;
    for (const effect of effects) if (effect.is(place)) next = marksAt(newDoc, effect.value);
    return next;
  },
  provide: (field) => lineNumberMarkers.from(field),
});

const stopped = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects }) {
    let next = marks.map(changes);
    for (const effect of effects) if (effect.is(stopAt)) next = effect.value === null ? Decoration.none : Decoration.set(STOPPED_LINE.range(effect.value));
    return next;
  },
  provide: (field) => [
    View.decorations.from(field),
    gutterLineClass.from(field, (marks) => {
      const { value, from } = marks.iter();
      return value ? RangeSet.of([STOPPED.range(from)]) : RangeSet.empty;
    }),
  ],
});

const STOPPED_LINE = Decoration.line({ class: "stopped-line" });
