/** Programs run by the command. */

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { parsed } from "./command";
import type { Device } from "./device";
import type { Program, Refusal } from "./run";

/** Time after which a command that has not heard Ctrl-C is ended from outside, in milliseconds: it may still wait for its turn. */
const GRACE = 2_000;

/** A program of this computer, run by `flylead run`. */
export class CommandProgram implements Program {
  #child: ChildProcessWithoutNullStreams | undefined;

  constructor(
    private readonly device: Device,
    private readonly document: vscode.TextDocument,
    /** Folder of this computer that the program sees as its own. */
    private readonly mounted: string | undefined,
  ) {}

  async start(onOutput: (text: string) => void): Promise<Refusal | undefined> {
    const { document } = this;
    if (!document.isUntitled) return this.#run(document.uri.fsPath, onOutput);
    // A text without a file is run as it is: a first program needs no name.
    const folder = await mkdtemp(join(tmpdir(), "flylead-"));
    try {
      const file = join(folder, basename(document.uri.path));
      await writeFile(file, document.getText());
      return await this.#run(file, onOutput);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  type(text: string): void {
    this.#child?.stdin.write(text.replaceAll("\r", "\n"));
  }

  /** Sends Ctrl-C through its input, as Windows has no signal for it. */
  interrupt(): void {
    const child = this.#child;
    if (!child) return;
    child.stdin.write("\x03");
    const grace = setTimeout(() => child.kill("SIGINT"), GRACE);
    child.once("close", () => clearTimeout(grace));
  }

  abandon(): void {
    this.#child?.kill("SIGKILL");
  }

  #run(file: string, onOutput: (text: string) => void): Promise<Refusal | undefined> {
    const mount = this.mounted ? ["mount", this.mounted, "--"] : [];
    const child = this.device.command.start(["--json", ...this.device.arguments([...mount, "run", file])]);
    this.#child = child;
    let refusal: Refusal | undefined;
    const waiting = this.device.waiting(onOutput);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = parsed(line);
      if (typeof event?.["stdout"] === "string") {
        waiting.end();
        onOutput(event["stdout"]);
      }
      refusal = (event?.["error"] as Refusal | undefined) ?? refusal;
    });
    child.stderr.on("data", (bytes: Buffer) => onOutput(bytes.toString()));
    // A program that has ended reads no more of what is typed.
    child.stdin.on("error", () => {});
    return new Promise((resolve) => {
      child.once("error", (error) => {
        waiting.end();
        resolve({ code: "missing", message: error.message });
      });
      child.once("close", () => {
        waiting.end();
        resolve(refusal);
      });
    });
  }
}
