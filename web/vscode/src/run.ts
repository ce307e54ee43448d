/** Runs programs on the board, each in a terminal of the editor. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { basename, isAbsolute } from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { type Frame, parsed, type Refusal } from "./command";
import type { Device } from "./device";

/** Time that a program has to end after Ctrl-C, in milliseconds. */
const PATIENCE = 5_000;

/** A program that runs, and the terminal that shows what it prints. */
export class Runner implements vscode.Disposable {
  #running: Run | undefined;
  #terminal: vscode.Terminal | undefined;
  readonly #mistakes = vscode.languages.createDiagnosticCollection("flylead");

  /** Runs a file, whose newest text is saved; one that still runs is stopped before. */
  async run(device: Device, document: vscode.TextDocument): Promise<void> {
    const file = await saved(document);
    await this.stop();
    this.#mistakes.clear();
    const run = new Run(device, file.fsPath);
    this.#running = run;
    await show(true);
    this.#terminal?.dispose();
    this.#terminal = vscode.window.createTerminal({ name: `Run ${basename(file.fsPath)}`, pty: run, iconPath: new vscode.ThemeIcon("play") });
    this.#terminal.show(true);
    void run.ended.then(async (refusal) => {
      if (this.#running !== run) return;
      this.#running = undefined;
      await show(false);
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

  /** Marks the lines of a traceback that are in files of this computer. */
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

/** Saves the text, and returns the file that has it. */
async function saved(document: vscode.TextDocument): Promise<vscode.Uri> {
  if (!document.isDirty && !document.isUntitled) return document.uri;
  const file = await vscode.workspace.save(document.uri);
  if (!file) throw document.isUntitled ? new vscode.CancellationError() : new Error(`${document.uri.path} cannot be saved.`);
  return file;
}

/** The file of this computer that a line of a traceback is in: the program, or a module beside it. */
async function locate(frame: Frame, program: vscode.Uri): Promise<vscode.Uri | undefined> {
  if ([program.fsPath, basename(program.fsPath)].includes(frame.file)) return program;
  if (isAbsolute(frame.file)) return undefined;
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
  #child: ChildProcessWithoutNullStreams | undefined;
  #isOver = false;
  #finish: (refusal: Refusal | undefined) => void = () => {};
  /** Resolves with the reason when the program did not end well. */
  readonly ended = new Promise<Refusal | undefined>((resolve) => (this.#finish = resolve));

  constructor(
    private readonly device: Device,
    private readonly file: string,
  ) {}

  open(): void {
    const child = this.device.command.start(["--json", ...this.device.arguments(["run", this.file])]);
    this.#child = child;
    let refusal: Refusal | undefined;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = parsed(line);
      if (typeof event?.["stdout"] === "string") this.#print(event["stdout"]);
      refusal = (event?.["error"] as Refusal | undefined) ?? refusal;
    });
    child.stderr.on("data", (bytes: Buffer) => this.#print(bytes.toString()));
    // A program that has ended reads no more of what is typed.
    child.stdin.on("error", () => {});
    child.once("error", (error) => this.#end({ code: "missing", message: error.message }));
    child.once("close", () => this.#end(refusal));
  }

  /** Closing the terminal ends the program. */
  close(): void {
    this.interrupt();
  }

  /** A key closes the terminal of a program that has ended; Ctrl-C ends one that runs. */
  handleInput(typed: string): void {
    if (this.#isOver) this.#close.fire();
    else if (typed === "\x03") this.interrupt();
    else this.#child?.stdin.write(typed.replaceAll("\r", "\n"));
  }

  interrupt(): void {
    if (!this.#isOver) this.#child?.kill("SIGINT");
  }

  /** Gives the command up. */
  abandon(): void {
    this.#child?.kill("SIGKILL");
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
