/** The flylead command: where it is, and how it is run. All work on boards is its own. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Frame, Refusal } from "./run";

/** Limit of a request, in milliseconds: a large file on a slow line takes minutes. */
const DEADLINE = 10 * 60_000;
/** Limit of what a request may print, in bytes. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;

/** Processes of this window. */
const running = new Set<number>();

/** Returns true if a tool, as hubs name it, is a process of this window. */
export function isOurs(who: string): boolean {
  const process = who.match(/\(process (\d+)\)$/)?.[1];
  return process !== undefined && running.has(Number(process));
}

/** The reason why the command refused, in its own words. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(
    message: string,
    /** `refused`, `no-link`, `raised` and the others of `flylead --json`; `failed` where it said none. */
    readonly code: string,
    readonly frames: readonly Frame[] = [],
  ) {
    super(message);
  }
}

export class Command {
  constructor(
    readonly path: string,
    readonly directory?: string,
  ) {}

  /** Returns the command for work in a folder. */
  within(directory: string): Command {
    return new Command(this.path, directory);
  }

  /** Starts it with these arguments; the caller ends it. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams {
    const child = spawn(this.path, args, { cwd: this.directory, windowsHide: true });
    const { pid } = child;
    if (pid !== undefined) {
      running.add(pid);
      child.once("exit", () => running.delete(pid));
    }
    return child;
  }

  /** Runs a request to its end, and returns what it printed. */
  async output(args: readonly string[], signal?: AbortSignal): Promise<Uint8Array> {
    const child = this.start(args);
    child.stdin.end();
    const stop = () => child.kill("SIGINT");
    const deadline = setTimeout(stop, DEADLINE);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const [out, error, code] = await Promise.all([collect(child.stdout), collect(child.stderr), ended(child)]);
      if (code !== 0) throw refused(out, error, code);
      return out;
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Runs a request that prints one value as JSON. */
  async json<T>(args: readonly string[], signal?: AbortSignal): Promise<T> {
    return JSON.parse(text(await this.output(["--json", ...args], signal))) as T;
  }

  /** Runs a request that prints a value in each line, and hands each out as it comes; the exit code is returned. */
  async events(args: readonly string[], onEvent: (event: Record<string, unknown>) => void, signal?: AbortSignal): Promise<number> {
    const child = this.start(["--json", ...args]);
    child.stdin.end();
    const stop = () => child.kill("SIGINT");
    signal?.addEventListener("abort", stop, { once: true });
    const [said, end] = [collect(child.stderr), ended(child)];
    end.catch(() => {});
    for await (const line of createInterface({ input: child.stdout })) {
      const event = parsed(line);
      if (event) onEvent(event);
    }
    const code = await end;
    signal?.removeEventListener("abort", stop);
    const words = text(await said).trim();
    if (code !== 0 && words !== "") onEvent({ error: { code: "failed", message: words } });
    return code;
  }
}

/** Finds the command: the one that is set, the one in the extension, or the one on the PATH. */
export async function find(setting: string, extension: string, directory?: string): Promise<Command> {
  if (setting !== "") return new Command(setting, directory);
  const own = join(extension, "bin", process.platform === "win32" ? "flylead.exe" : "flylead");
  try {
    await access(own, constants.X_OK);
    return new Command(own, directory);
  } catch {
    return new Command("flylead", directory);
  }
}

/** Reads a line of JSON with an object in it; other lines are none. */
export function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length <= OUTPUT_LIMIT) parts.push(part);
  }
  if (length > OUTPUT_LIMIT) throw new CommandError(`more than ${OUTPUT_LIMIT >> 20} MB came; use the command in a terminal`, "failed");
  return Buffer.concat(parts);
}

function ended(child: ChildProcessWithoutNullStreams): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => reject(error.code === "ENOENT" ? missing(child.spawnfile) : error));
    child.once("close", (code) => resolve(code ?? 1));
  });
}

function missing(path: string): CommandError {
  const advice = "install it by `pip install flylead`, or name its path in the setting flylead.command";
  return new CommandError(`The command ${path} cannot be started: ${advice}`, "missing");
}

/** The last line of its output has the reason as JSON; else its words on stderr are the reason. */
function refused(out: Uint8Array, error: Uint8Array, code: number): CommandError {
  const last = parsed(text(out).trimEnd().split("\n").at(-1) ?? "");
  const refusal = last?.["error"] as Refusal | undefined;
  if (refusal) return new CommandError(refusal.message, refusal.code, refusal.traceback?.frames);
  const words = text(error).trim().replace(/^flylead: /, "");
  return new CommandError(words || `flylead ended with code ${code}`, "failed");
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
