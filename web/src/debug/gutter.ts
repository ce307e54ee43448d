/** Breakpoints beside the line numbers, and the line at which the program waits. */

import { type EditorState, type Extension, RangeSet, StateEffect, StateField, type Text, type TransactionSpec } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, EditorView as View, GutterMarker, gutterLineClass, keymap, lineNumberMarkers, lineNumbers } from "@codemirror/view";

export interface BreakpointOptions {
  /** They are at these lines now. */
  moved: (lines: readonly number[]) => void;
  /** What the person's doing came to, for a screen reader. */
  say: (text: string) => void;
}

/** A document's breakpoints, at first at these lines. */
export function breakpoints(lines: readonly number[], { moved, say }: BreakpointOptions): Extension {
  return [
    placed.init(({ doc }) => marksAt(doc, lines)),
    lineNumbers({ domEventHandlers: { mousedown: (view, { from }, event) => isPlainClick(event) && (say(toggle(view, from)), true) } }),
    keymap.of([{ key: "F9", run: (view) => (say(toggle(view, view.state.selection.main.head)), true) }]),
    View.updateListener.of(({ state, startState }) => {
      const [now, before] = [linesOf(state), linesOf(startState)];
      if (now.join() !== before.join()) moved(now);
    }),
    stopped,
  ];
}

/** The lines with breakpoints, from 1. */
function linesOf(state: EditorState): number[] {
  const marks = state.field(placed, false);
  return marks ? linesIn(state.doc, marks) : [];
}

/** Puts breakpoints elsewhere. */
export function placing(lines: readonly number[]): TransactionSpec {
  return { effects: place.of(lines) };
}

/** Marks the line (from 1) at which the program waits, or none. */
export function stopping(state: EditorState, line: number | undefined): TransactionSpec {
  const from = line === undefined ? null : state.doc.line(Math.min(Math.max(line, 1), state.doc.lines)).from;
  return { effects: from === null ? stopAt.of(null) : [stopAt.of(from), View.scrollIntoView(from, { y: "center" })] };
}

/** Sets a breakpoint, or takes it away, and says so. On a line without code it is at the next one that has some. */
function toggle(view: EditorView, at: number): string {
  const { doc } = view.state;
  const line = lineWithCode(doc, doc.lineAt(at).number);
  if (line === undefined) return "There is no code at this line or after it";
  const before = linesOf(view.state);
  const isThere = before.includes(line);
  view.dispatch(placing(isThere ? before.filter((one) => one !== line) : [...before, line]));
  return isThere ? `No breakpoint in line ${line} any more` : `Breakpoint in line ${line}`;
}

function isPlainClick(event: Event): boolean {
  return event instanceof MouseEvent && event.button === 0;
}

/** The parser of the debugger knows better, and moves breakpoints once more when the program is started. */
function lineWithCode(doc: Text, from: number): number | undefined {
  for (let line = from; line <= doc.lines; line += 1) if (!/^\s*(#|$)/.test(doc.line(line).text)) return line;
  return undefined;
}

function linesIn(doc: Text, marks: RangeSet<GutterMarker>): number[] {
  const lines = new Set<number>();
  for (const cursor = marks.iter(); cursor.value; cursor.next()) lines.add(doc.lineAt(cursor.from).number);
  return [...lines];
}

function marksAt(doc: Text, lines: readonly number[]): RangeSet<GutterMarker> {
  const present = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines).sort((one, other) => one - other);
  return RangeSet.of(present.map((line) => BREAKPOINT.range(doc.line(line).from)));
}

class Mark extends GutterMarker {
  override readonly elementClass: string;

  constructor(elementClass: string) {
    super();
    this.elementClass = elementClass;
  }
}

const BREAKPOINT = new Mark("breakpoint");
const STOPPED = new Mark("stopped");

const place = StateEffect.define<readonly number[]>();
const stopAt = StateEffect.define<number | null>();

/** Breakpoints stay with their lines while the text around them changes. */
const placed = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, { changes, docChanged, effects, newDoc }) {
    let next = docChanged ? marksAt(newDoc, linesIn(newDoc, marks.map(changes))) : marks;
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
