/**
 * One run of a program under the debugger: passes the machine's events to the page, and the user's actions to the
 * machine.
 */

import { type DebugEnd, type DebugEvent, type DebugExceptions, type DebugFrame, Debugger, type DebugPart, type DebugStep, init } from "flylead/debug";
import type { Loan } from "./loan.ts";
import { texts } from "../../texts/tools/debug.ts";
import { type Breakpoint, isSame } from "../../editor/breakpoints/breakpoint.ts";

export interface Source {
  /** Name of the program in frames and tracebacks. */
  file: string;
  text: string;
  /** Modules of the board that are open here, in which the program can stop, by their path among the modules. */
  modules: Record<string, string>;
  /** Breakpoints by file. */
  breakpoints: ReadonlyMap<string, readonly Breakpoint[]>;
  exceptions: Required<DebugExceptions>;
  /** True if the program gets hooks for steps to parts of expressions. */
  parts: boolean;
}

export interface Watcher {
  began(run: ProgramRun): void;
  running(said: string): void;
  stopped(frames: readonly DebugFrame[], said: string, part?: DebugPart): void;
  /** Called with the current breakpoints of a file. */
  placed(file: string, breakpoints: readonly Breakpoint[]): void;
  /** Prints a message in the terminal. */
  note(text: string): Promise<void>;
  print(bytes: Uint8Array): Promise<void>;
  ended(end: DebugEnd, took: number): Promise<void>;
}

export class ProgramRun {
  readonly debug: Debugger;
  readonly #watcher: Watcher;
  readonly #placed = new Map<string, readonly Breakpoint[]>();
  #isStopped = false;

  constructor(debug: Debugger, watcher: Watcher) {
    this.debug = debug;
    this.#watcher = watcher;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  resume(step: DebugStep): void {
    if (!this.#isStopped) return;
    this.debug.resume(step);
    this.#isStopped = false;
  }

  pause(): void {
    if (!this.#isStopped) this.debug.pause();
  }

  /** Sets the exceptions at which to stop. */
  setExceptions(exceptions: DebugExceptions): void {
    this.debug.setExceptions(exceptions);
  }

  /** Sends input from the terminal. A stopped program reads no input. */
  type(bytes: Uint8Array): void {
    if (!this.#isStopped) this.debug.send(bytes);
  }

  /** Sets a file's breakpoints as the user wants them, and reports where they were placed. */
  setBreakpoints(file: string, wishes: readonly Breakpoint[]): void {
    if (isSame(this.#placed.get(file) ?? [], wishes)) return;
    const statuses = this.debug.setBreakpoints(file, [...wishes]);
    const placed = wishes.map((wish, at) => ({ ...wish, line: statuses[at]?.line ?? wish.line }));
    for (const [at, { problem }] of statuses.entries()) if (problem) void this.#watcher.note(texts.notPlaced({ line: wishes[at]!.line, problem }));
    this.#placed.set(file, placed);
    if (!isSame(placed, wishes)) this.#watcher.placed(file, placed);
  }

  /** Handles the end of the run. */
  end(): void {
    this.#isStopped = false;
  }

  async take(event: DebugEvent): Promise<void> {
    switch (event.kind) {
      case "started":
      case "continued":
        this.#isStopped = false;
        return this.#watcher.running(texts.running);
      case "output":
        return this.#watcher.print(event.bytes);
      case "stopped":
        this.#isStopped = true;
        return this.#watcher.stopped(event.frames, saidOf(event), event.part);
      case "log":
        return this.#watcher.note(texts.log({ line: event.line, text: event.text }));
      case "note":
        return this.#watcher.note(event.text);
      case "verified":
        return undefined;
    }
  }
}

/** Runs a program to its end, over a link lent for it. */
export async function debugProgram({ file, text, modules, breakpoints, exceptions, parts }: Source, loan: Loan, watcher: Watcher): Promise<void> {
  await init();
  const debug = Debugger.attach(loan.link, file, text, { modules, parts, ...exceptions, stopOnEntry: !exceptions.raised && !exceptions.uncaught && [...breakpoints.values()].every((wishes) => wishes.length === 0) });
  const run = new ProgramRun(debug, watcher);
  try {
    for (const [name, wishes] of breakpoints) run.setBreakpoints(name, wishes);
    watcher.began(run);
    loan.type((bytes) => run.type(bytes));
    const began = performance.now();
    const program = debug.run();
    let giveUp: ReturnType<typeof setTimeout> | undefined;
    loan.signal.addEventListener("abort", () => (program.cancel(), (giveUp = setTimeout(() => debug.close(), GIVE_UP_MS))));
    if (loan.signal.aborted) program.cancel();
    for await (const event of program) await run.take(event);
    clearTimeout(giveUp);
    await watcher.ended(await program, performance.now() - began);
  } finally {
    run.end();
    debug.close();
  }
}

function saidOf({ reason, frames: [frame], exception, part }: Stopped): string {
  if (part) return texts.partIs({ part: part.expression, value: part.value });
  const what = texts.reasons[reason];
  const said = !frame ? what : frame.function === "<module>" ? texts.inLine({ reason: what, line: frame.line }) : texts.inLineOf({ reason: what, line: frame.line, name: frame.function });
  const more = reason === "interrupt" ? texts.endsWithInterrupt : exception;
  return more ? `${said}: ${more}` : said;
}

type Stopped = Extract<DebugEvent, { kind: "stopped" }>;

/** Time that a program has to end before the link is reclaimed. */
const GIVE_UP_MS = 5000;
