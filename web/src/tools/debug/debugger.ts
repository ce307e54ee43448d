/** Debugs the displayed document: handles its buttons and keys, and loads its modules when they are first used. */

import type { DebugEnd, DebugFrame, DebugStep } from "flylead/debug";
import { announce } from "../../ui/announcer.ts";
import type { Board, Boards } from "../../boards/boards.ts";
import type { Breakpoint } from "../../editor/breakpoints/breakpoint.ts";
import { type Loan, lendRun } from "./loan.ts";
import type { Panel } from "./panel.ts";
import type { ProgramRun, Watcher } from "./run.ts";
import { type Document, isUnsaved } from "../../editor/documents/document.ts";
import type { Documents } from "../../editor/documents/documents.ts";
import { element } from "../../ui/dom.ts";
import type { Editor } from "../../editor/editor.ts";
import type { DebugCommand } from "../../ui/keys.ts";
import { SENT, inFile } from "../../run/problem.ts";
import { settings } from "../../storage/settings.ts";
import { texts } from "../../texts/board.ts";
import { texts as words } from "../../texts/program.ts";
import { browserTransport } from "../../boards/connection/page-board/transport.ts";
import type { Outcome } from "flylead";
import { isFlyleadError } from "flylead/errors";

export interface DebuggerOptions {
  editor: Promise<Editor>;
  documents: Documents;
  boards: Boards;
  say: (text: string, board: Board) => Promise<void>;
  showError: (error: unknown) => void;
  /** Clears the traces of an earlier run. */
  begin: () => Promise<void>;
  /**
   * Offers to save modules that the program would otherwise import in an old version. Returns true if the program
   * should run.
   */
  saveModules: (board: Board) => Promise<boolean>;
  /** Reports how a program ended. */
  report: (board: Board, ran: Document, outcome: Outcome, took: number) => Promise<void>;
  /** Puts the program in front of the other tools. */
  showProgram: () => Promise<unknown>;
}

export interface PageDebugger {
  start(): Promise<void>;
  obey(command: DebugCommand): void;
  /** Returns true while a program is being debugged. */
  isUnderWay(): boolean;
  /** Called when a document's breakpoints have moved. */
  moved(id: string): void;
  /** Returns the value of an expression in the selected frame while the program is stopped. */
  valueOf(expression: string): Promise<string | undefined>;
}

/** Program that is being debugged. */
interface Debugging {
  board: Board;
  /** Files of the program: documents, with the text that is on the board. */
  files: Map<string, { document: Document; text: string }>;
  run?: ProgramRun;
}

export function makeDebugger(options: DebuggerOptions): PageDebugger {
  const { boards, documents, editor } = options;
  let panel: Promise<Panel> | undefined;
  let opened: Panel | undefined;
  let now: Debugging | undefined;

  async function start(withParts = false): Promise<void> {
    const board = boards.current;
    if (board.session.state.kind === "loose") await board.session.connect(browserTransport());
    if (now || !board.session.canRun) return;
    const debugging: Debugging = (now = { board, files: new Map() });
    try {
      await options.begin();
      if (!(await options.saveModules(board))) return;
      opened = await (panel ??= openPanel());
      const ran = documents.current;
      await lendRun(board.session, texts.debugging, texts.noteDebug, { reset: settings().resetOnRun }, (loan) => converse(debugging, ran, loan, withParts));
    } catch (error) {
      await refuse(error);
    } finally {
      now = undefined;
      opened?.end();
      (await editor).stopAt(undefined);
    }
  }

  /** Reports a program that is not valid Python at its line. */
  async function refuse(error: unknown): Promise<void> {
    if (!isFlyleadError(error) || error.name !== "SourceError") return options.showError(error);
    const { file, line, message } = error;
    options.showError(words.sourceError({ place: inFile(file, words.line({ line })), message }));
    if (file === SENT) (await editor).mark(line, message);
  }

  async function openPanel(): Promise<Panel> {
    const { Panel } = await import("./panel.ts");
    return new Panel(element("debugger"), {
      resume,
      pause: () => now?.run?.pause(),
      stop: () => now?.board.session.stop(),
      chooseExceptions: (exceptions) => now?.run?.setExceptions(exceptions),
      say: options.showError,
      show: (frame) => void show(frame).catch(options.showError),
      nameOf: (file) => (file === SENT ? undefined : file),
    });
  }

  async function converse(debugging: Debugging, ran: Document, loan: Loan, withParts: boolean): Promise<void> {
    checkItCanWait(loan);
    debugging.files = filesOf(ran, debugging.board);
    const { debugProgram } = await import("./run.ts");
    const files = [...debugging.files];
    const breakpoints = new Map(files.map(([file, { document }]) => [file, document.breakpoints ?? []]));
    const modules = Object.fromEntries(files.filter(([file]) => file !== SENT).map(([file, { text }]) => [file, text]));
    await debugProgram({ file: SENT, text: ran.text, modules, breakpoints, exceptions: opened!.exceptions, parts: opened!.beginParts(withParts) }, loan, watcher(debugging, ran, loan));
  }

  function watcher(debugging: Debugging, ran: Document, loan: Loan): Watcher {
    const { board } = debugging;
    return {
      began: (run) => ((debugging.run = run), opened!.begin(run.debug)),
      running(said) {
        void editor.then((shown) => shown.stopAt(undefined));
        opened!.running(said);
        loan.say(texts.runningDebugged);
      },
      stopped(frames, said, part) {
        loan.say(said);
        announce(said);
        void opened!.stopped(frames, said, part);
      },
      placed: (file, breakpoints) => void place(debugging, file, breakpoints),
      note: async (text) => (await board.terminal()).note(text),
      print: (bytes) => board.session.screen.write(bytes),
      ended: (end, took) => tell(board, ran, end, took),
    };
  }

  async function tell(board: Board, ran: Document, end: DebugEnd, took: number): Promise<void> {
    if (end.kind === "notReady") return options.showError(end.why);
    if (end.kind === "terminated") return options.say(texts.stopped, board);
    await options.report(board, ran, end, took);
  }

  /** Shows the position of a frame, if its file is open here. */
  async function show({ file, line }: DebugFrame): Promise<void> {
    const document = now?.files.get(file)?.document;
    if (!document || !documents.all.includes(document)) return;
    await options.showProgram();
    await documents.show(document);
    (await editor).stopAt({ id: document.id, line });
  }

  async function place({ files }: Debugging, file: string, breakpoints: readonly Breakpoint[]): Promise<void> {
    const found = files.get(file);
    if (!found || found.document.text !== found.text) return;
    if (found.document === documents.current) (await editor).place(breakpoints);
    else documents.marked(found.document.id, breakpoints);
  }

  function moved(id: string): void {
    for (const [file, { document, text }] of now?.files ?? []) {
      // The lines of a changed text no longer match those of the running program.
      if (document.id === id && document.text === text) now?.run?.setBreakpoints(file, document.breakpoints ?? []);
    }
  }

  async function valueOf(expression: string): Promise<string | undefined> {
    if (!now?.run?.isStopped) return undefined;
    const value = await now.run.debug.evaluate(opened!.frame, expression).catch(() => undefined);
    return value?.text;
  }

  function resume(step: DebugStep): void {
    try {
      now?.run?.resume(step);
    } catch (error) {
      options.showError(error); // The board has no hooks for parts.
    }
  }

  function obey(command: DebugCommand): void {
    if (command === "stop") return now?.board.session.stop();
    const isPart = command === "part";
    if (!now) return command === "go" || isPart ? void start(isPart) : undefined;
    if (isPart) return opened?.stepToPart();
    resume(command === "go" ? "continue" : command);
  }

  /** Returns the program, and the modules of the board that are open here and unchanged. */
  function filesOf(ran: Document, { session }: Board): Debugging["files"] {
    const isModule = (one: Document) => one !== ran && one.where?.id === session.identity && one.where?.path.endsWith(".py") && !isUnsaved(one);
    const modules = documents.all.filter(isModule).map((document) => [document.where!.path.replace(/^\/(lib\/)?/, ""), { document, text: document.text }] as const);
    return new Map([...modules, [SENT, { document: ran, text: ran.text }]]);
  }

  return { start, obey, isUnderWay: () => now !== undefined, moved, valueOf };
}

/**
 * Checks that the board can stop: one in a page without shared memory runs a program to its end before it reads any
 * input.
 */
function checkItCanWait({ link }: Loan): void {
  if ("isolated" in link && !link.isolated) throw new Error(texts.noDebuggingHere);
}
