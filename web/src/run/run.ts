/** Runs the document in front on the board in front, and reports its end: in the terminal, and at the line at fault. */

import type { Frame, Outcome, Traceback } from "flylead";
import { Activity } from "./activity.ts";
import { announce } from "../ui/announcer.ts";
import type { Board, Boards } from "../boards/boards.ts";
import type { Document } from "../editor/documents/document.ts";
import type { Documents } from "../editor/documents/documents.ts";
import { element, onPress } from "../ui/dom.ts";
import type { Editor } from "../editor/editor.ts";
import type { FilesBesideEditor } from "../tools/files/files.ts";
import type { Fold } from "../ui/layout/fold.ts";
import { browserTransport } from "../boards/connection/page-board/transport.ts";
import type { Plot } from "./plot/plot.ts";
import { adviceInPage, hideProblem, lineOf, SENT, showProblem, summaryOf, tracebackOf } from "./problem.ts";
import { runProgram } from "./program.ts";
import { settings } from "../storage/settings.ts";
import { texts } from "../texts/board.ts";
import { decimal } from "../texts/index.ts";
import { showError } from "../ui/toast.ts";
import type { Tools } from "../ui/layout/tools.ts";

export interface RunnerOptions {
  editor: Promise<Editor>;
  documents: Documents;
  boards: Boards;
  files: FilesBesideEditor;
  plot: Plot;
  fold: Fold;
  tools: Tools;
}

export interface Runner {
  /**
   * Runs the displayed document, or its selection, with the state left by earlier runs; a page without a board uses the
   * built-in one.
   */
  run(options?: { selection?: boolean }): Promise<void>;
  /**
   * Handles a program's request for input: the terminal takes the focus, unless the user was active since the program's
   * start.
   */
  answer(board: Board): Promise<void>;
  /** Reports how a program ended; an exception marks its line. */
  report(board: Board, ran: Document, outcome: Outcome, took: number): Promise<void>;
  /** Clears the traces of an earlier run. */
  forget(): Promise<void>;
  /** Announces a text in the terminal and to screen readers. */
  say(text: string, board: Board): Promise<void>;
  /** Moves to a line of the program that was sent, or of a file on the board. */
  goTo(place: Pick<Frame, "file" | "line">): Promise<void>;
}

export function makeRunner({ editor, documents, boards, files, plot, fold, tools }: RunnerOptions): Runner {
  /** Activity of the user since the program's start. */
  const activity = new Activity();
  onPress("run", () => void run());

  async function run({ selection = false } = {}): Promise<void> {
    const board = boards.current;
    fold.open();
    if (board.session.state.kind === "loose") await board.session.connect(browserTransport());
    if (!board.session.canRun) return;
    await forget();
    const ran = documents.current;
    if (!(await files.saveModules(board).catch(refuse))) return;
    activity.begin();
    plot.clear();
    const began = performance.now();
    const text = selection ? alone((await editor).selection()) : ran.text;
    const reset = !selection && settings().resetOnRun;
    await runProgram(board.session, text, { reset }, (outcome) => report(board, ran, outcome, performance.now() - began));
  }

  async function answer(board: Board): Promise<void> {
    const terminal = await board.terminal();
    if (board === boards.current && !activity.isSeen && !element("terminal").hidden) terminal.focus();
  }

  async function report(board: Board, ran: Document, outcome: Outcome, took: number): Promise<void> {
    const traceback = tracebackOf(outcome);
    if (traceback?.exception === "KeyboardInterrupt") return say(stoppedAt(lineOf(traceback)), board);
    if (traceback) return blame(board, ran, traceback);
    await say(texts.after({ end: ENDS[outcome.kind], seconds: decimal(took / 1000, 2) }), board);
  }

  async function blame(board: Board, ran: Document, traceback: Traceback): Promise<void> {
    await (await board.terminal()).write(`\x1b[31m${traceback.text.trimEnd()}\x1b[0m\n`);
    await tools.show("program");
    if (documents.all.includes(ran)) await documents.show(ran);
    showProblem(traceback, (frame) => void goTo(frame), board.session.transport?.isInPage ? adviceInPage(traceback) : undefined);
    const line = lineOf(traceback);
    if (line !== undefined) (await editor).mark(line, summaryOf(traceback));
  }

  async function forget(): Promise<void> {
    hideProblem();
    (await editor).unmark();
  }

  async function say(text: string, board: Board): Promise<void> {
    announce(text);
    await (await board.terminal()).note(`── ${text} ──`);
  }

  async function goTo({ file, line }: Pick<Frame, "file" | "line">): Promise<void> {
    try {
      await tools.show("program");
      if (file !== SENT) await files.open(boards.current.place, file.startsWith("/") ? file : `/${file}`);
      (await editor).focus(line);
    } catch (error) {
      showError(error);
    }
  }

  return { run, answer, report, forget, say, goTo };
}

/** Turns lines into a program of their own, in which they keep their numbers from the document. */
function alone({ text, line }: { text: string; line: number }): string {
  const lines = text.split(/\r?\n/);
  const indents = lines.filter((one) => one.trim() !== "").map((one) => /^[ \t]*/.exec(one)![0].length);
  const indent = Math.min(...indents, text.length);
  return "\n".repeat(line - 1) + lines.map((one) => one.slice(indent)).join("\n");
}

/** Reports the reason for a refusal. */
function refuse(error: unknown): false {
  showError(error);
  return false;
}

function stoppedAt(line: number | undefined): string {
  return line === undefined ? texts.stopped : texts.stoppedInLine({ line });
}

/** Messages for the end of a program without a traceback. */
const ENDS: Record<Outcome["kind"], string> = {
  completed: texts.finished,
  raised: texts.finished,
  exited: texts.exited,
  restarted: texts.restarted,
  timedOut: texts.stopped,
};
