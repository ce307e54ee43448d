/** Runs programs on the board, each in a terminal of the editor. */

import * as vscode from "vscode";
import { basename } from "./paths";

/** Time that a program has to end after Ctrl-C, in milliseconds. */
const PATIENCE = 5_000;

/** A line of a traceback. */
export interface Frame {
  readonly file: string;
  readonly line: number;
}

/** End of a program that did not end well. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly traceback?: { readonly frames: readonly Frame[]; readonly text: string } | undefined;
}

/** A program that runs. */
export interface Program {
  /** Starts it, and hands out what it prints. */
  start(onOutput: (text: string) => void): Promise<Refusal | undefined>;
  /** Sends what is typed. */
  type(text: string): void;
  /** Sends Ctrl-C. */
  interrupt(): void;
  /** Gives it up, as it does not end. */
  abandon(): void;
}

/** Runs one program at a time; its terminal shows what it prints. */
export class Runner implements vscode.Disposable {
  #running: Run | undefined;
  #terminal: vscode.Terminal | undefined;
  readonly #mistakes = vscode.languages.createDiagnosticCollection("flylead");
  readonly #printed = new vscode.EventEmitter<string>();
  readonly #started = new vscode.EventEmitter<void>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** Output of programs. */
  readonly onDidPrint = this.#printed.event;
  readonly onDidStart = this.#started.event;
  /** A program has started or ended. */
  readonly onDidChange = this.#changed.event;

  /** Returns this window's work on a board, in a few words. */
  activity(board: string): string | undefined {
    const name = this.program(board);
    return name && `runs ${name}`;
  }

  /** Returns the name of the program that this window runs on a board. */
  program(board: string): string | undefined {
    return this.#running?.board === board ? this.#running.name : undefined;
  }

  /** Runs a program from this file on a board; one that still runs is stopped before. */
  async run(board: string, file: vscode.Uri, program: Program): Promise<void> {
    await this.stop();
    this.#mistakes.clear();
    const run = new Run(board, basename(file.path), program, (text) => this.#printed.fire(text));
    this.#running = run;
    await show(true);
    this.#changed.fire();
    this.#started.fire();
    this.#terminal?.dispose();
    this.#terminal = vscode.window.createTerminal({ name: `Run ${run.name}`, pty: run, iconPath: new vscode.ThemeIcon("play") });
    this.#terminal.show(true);
    void run.ended.then(async (refusal) => {
      if (this.#running !== run) return;
      this.#running = undefined;
      await show(false);
      this.#changed.fire();
      if (refusal && refusal.code !== "interrupted") await this.#mark(refusal, file);
    });
  }

  /** Ends the program by Ctrl-C, and waits until it has. One that does not end is left to the next request, which interrupts it. */
  async stop(): Promise<void> {
    const run = this.#running;
    if (!run) return;
    run.interrupt();
    const patience = setTimeout(() => run.abandon(), PATIENCE);
    await run.ended;
    clearTimeout(patience);
  }

  dispose(): void {
    this.#running?.interrupt();
    this.#mistakes.dispose();
  }

  /** Marks the lines of a traceback that are in open files, or in files beside the program. */
  async #mark(refusal: Refusal, program: vscode.Uri): Promise<void> {
    for (const frame of refusal.traceback?.frames ?? []) {
      const file = await locate(frame, program);
      if (!file) continue;
      const at = new vscode.Range(frame.line - 1, 0, frame.line - 1, Number.MAX_SAFE_INTEGER);
      const mistake = new vscode.Diagnostic(at, refusal.message);
      mistake.source = "MicroPython";
      this.#mistakes.set(file, [...(this.#mistakes.get(file) ?? []), mistake]);
    }
  }
}

/** The file that a line of a traceback is in: the program, or a module beside it. */
async function locate(frame: Frame, program: vscode.Uri): Promise<vscode.Uri | undefined> {
  if (["<stdin>", program.fsPath, basename(program.path)].includes(frame.file)) return program;
  if (program.scheme === "untitled" || /^([/\\]|\w:)/.test(frame.file)) return undefined;
  const file = vscode.Uri.joinPath(program, "..", frame.file);
  const exists = vscode.workspace.fs.stat(file);
  return exists.then(() => file, () => undefined);
}

async function show(isRunning: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "flylead.running", isRunning);
}

/** One run: what the program prints goes to the terminal, what is typed there to the program. */
class Run implements vscode.Pseudoterminal {
  readonly #write = new vscode.EventEmitter<string>();
  readonly #close = new vscode.EventEmitter<void>();
  readonly onDidWrite = this.#write.event;
  readonly onDidClose = this.#close.event;
  #isOver = false;
  #finish: (refusal: Refusal | undefined) => void = () => {};
  /** Resolves with the reason when the program did not end well. */
  readonly ended = new Promise<Refusal | undefined>((resolve) => (this.#finish = resolve));

  constructor(
    readonly board: string,
    readonly name: string,
    private readonly program: Program,
    private readonly onOutput: (text: string) => void,
  ) {}

  open(): void {
    const print = (text: string) => {
      this.#print(text);
      this.onOutput(text);
    };
    this.program.start(print).then(
      (refusal) => this.#end(refusal),
      (error: unknown) => this.#end({ code: "failed", message: error instanceof Error ? error.message : String(error) }),
    );
  }

  /** Closing the terminal ends the program. */
  close(): void {
    this.interrupt();
  }

  /** A key closes the terminal of a program that has ended; Ctrl-C ends one that runs. */
  handleInput(typed: string): void {
    if (this.#isOver) this.#close.fire();
    else if (typed === "\x03") this.interrupt();
    else this.program.type(typed);
  }

  interrupt(): void {
    if (!this.#isOver) this.program.interrupt();
  }

  abandon(): void {
    this.program.abandon();
    this.#end({ code: "interrupted", message: "The program did not end." });
  }

  #end(refusal: Refusal | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (refusal) this.#print(`\x1b[31m${refusal.traceback?.text ?? `${refusal.message}\n`}\x1b[0m`);
    this.#print("\n\x1b[2mThe program has ended. Press a key to close this terminal.\x1b[0m\n");
    this.#finish(refusal);
  }

  #print(text: string): void {
    this.#write.fire(text.replace(/\r?\n/g, "\r\n"));
  }
}
