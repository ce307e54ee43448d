/** Mistakes underlined while a program is written, and its layout: by Ruff, and by the language server where that is sure. */

import { isolateHistory } from "@codemirror/commands";
import { type Action, type Diagnostic, forceLinting, linter } from "@codemirror/lint";
import { diff } from "@codemirror/merge";
import { type Extension, StateEffect, Text, Transaction } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import { settings } from "../../storage/settings.ts";
import { texts } from "../../texts/writing.ts";
import { assemblyIn, type Range } from "./assembly.ts";
import "./checks.css";
import { completion } from "./completion/completion.ts";
import type { Report, Surroundings } from "./help.ts";
import { type Fault, type Location, Ruff } from "./ruff.ts";

export interface Checks {
  extension: Extension;
  /** Lays the document out; undo brings back what it was. Rejects with why it cannot. */
  format(view: EditorView): Promise<void>;
}

export function openChecks(report: Report, surroundings: () => Surroundings): Checks {
  const ruff = new Ruff();
  /** Faults that Ruff has found, or will find, in its latest text. */
  let latest: { doc: Text; faults: Promise<Diagnostic[]> } | undefined;
  const views = new Set<EditorView>();
  const help = completion(surroundings, report, () => views.forEach((view) => view.dispatch({ effects: serverIsThere.of(null) })));

  function check(view: EditorView): Promise<Diagnostic[]> {
    views.add(view);
    latest = { doc: view.state.doc, faults: byRuff(view) };
    return latest.faults;
  }

  /** Checks types, without repeating what Ruff reports for the same place. */
  async function checkTypes(view: EditorView): Promise<Diagnostic[]> {
    const { state } = view;
    const found = await help.faults(state).catch(() => []);
    const told = latest?.doc === state.doc ? await latest.faults : [];
    if (view.state.doc !== state.doc) return [];
    const assembly = assemblyIn(state);
    const sure = found.map(({ rule, message, from, to }): Diagnostic => ({ from, to, severity: "error", source: `basedpyright ${rule}`, message }));
    return sure.filter((fault) => !isForeign(fault, assembly) && !told.some(({ from, to, severity }) => severity !== "info" && from < fault.to && to > fault.from));
  }

  async function byRuff(view: EditorView): Promise<Diagnostic[]> {
    const { doc } = view.state;
    try {
      const faults = await ruff.check(doc.toString(), settings().indent);
      // What was typed meanwhile is checked in its turn.
      if (view.state.doc !== doc) return [];
      const assembly = assemblyIn(view.state);
      return faults.map((fault) => diagnostic(doc, fault)).filter((found) => !isForeign(found, assembly));
    } catch (error) {
      report(error, false);
      addEventListener("online", () => forceLinting(view), { once: true });
      return [];
    }
  }

  async function format(view: EditorView): Promise<void> {
    const { doc } = view.state;
    const before = doc.toString();
    const after = await ruff.format(before, settings().indent).catch((error: unknown) => Promise.reject(unformatted(doc, error)));
    if (view.state.doc !== doc) throw new Error(texts.changedMeanwhile);
    const changes = diff(before, after).map(({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, insert: textOf(after.slice(fromB, toB)) }));
    view.dispatch({ changes, annotations: [Transaction.userEvent.of("format"), isolateHistory.of("full")] });
  }

  return { extension: [linter(check, { delay: PAUSE_MS }), linter(checkTypes, { delay: PAUSE_MS, needsRefresh: isAnew }), help.extension], format };
}

/** Names in assembler code are instructions, registers and labels. */
function isForeign({ from, to, source }: Diagnostic, assembly: readonly Range[]): boolean {
  return source !== SYNTAX && assembly.some((code) => from >= code.from && to <= code.to);
}

function diagnostic(doc: Text, { rule, message, start, end, isUnneeded, fix }: Fault): Diagnostic {
  return {
    from: placeOf(doc, start),
    to: placeOf(doc, end),
    severity: isUnneeded ? "info" : ERRORS.test(rule) ? "error" : "warning",
    source: rule === INVALID ? SYNTAX : `ruff ${rule}`,
    message,
    actions: fix ? [mending(doc, fix)] : [],
  };
}

function mending(doc: Text, { message, edits }: NonNullable<Fault["fix"]>): Action {
  const changes = edits.map(({ start, end, text }) => ({ from: placeOf(doc, start), to: placeOf(doc, end), insert: textOf(text) }));
  return {
    name: message ?? texts.mend,
    apply: (view) => {
      // The places are those of the text that was checked.
      if (view.state.doc === doc) view.dispatch({ changes, userEvent: "input.fix" });
    },
  };
}

function placeOf(doc: Text, { row, column }: Location): number {
  const line = doc.line(Math.min(Math.max(row, 1), doc.lines));
  return Math.min(line.from + column - 1, line.to);
}

function textOf(text: string): Text {
  return Text.of(text.split("\n"));
}

/** Ruff says where by bytes, which help nobody. */
function unformatted(doc: Text, error: unknown): Error {
  const [, what, at] = /^(.*) at byte range (\d+)\.\./.exec(error instanceof Error ? error.message : "") ?? [];
  if (!what) return error instanceof Error ? error : new Error(String(error));
  const before = new TextDecoder().decode(new TextEncoder().encode(doc.toString()).slice(0, Number(at)));
  const { number } = doc.lineAt(Math.min(before.length, doc.length));
  return new Error(texts.notFormatted({ line: number, why: what }));
}

function isAnew({ transactions }: ViewUpdate): boolean {
  return transactions.some(({ effects }) => effects.some((effect) => effect.is(serverIsThere)));
}

const serverIsThere = StateEffect.define<null>();
const INVALID = "invalid-syntax";
const SYNTAX = "syntax";
/** Faults that prevent a run, and those that fail in it. */
const ERRORS = /^(invalid-syntax|E9|F5|F6|F7|F82|PLE)/;
/** Delay before a report, to spare unfinished words. */
const PAUSE_MS = 500;
