/** The board in use, and everything that one asks of it by the command. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Board } from "./boards";
import { type Command, CommandError } from "./command";
import type { Sharing } from "./sharing";
import type { Entry, Fault, Storage } from "./storage";

/** Faults of requests by the command. */
export function fault(error: unknown): ReturnType<Fault> {
  if (!(error instanceof CommandError)) return undefined;
  if (/no such file or directory/.test(error.message)) return "missing";
  return error.code === "no-link" || error.code === "missing" ? "away" : "refused";
}

export class Device implements Storage {
  constructor(
    readonly board: Board,
    readonly command: Command,
    private readonly sharing: Sharing,
  ) {}

  /** Arguments of a request to this board. */
  arguments(words: readonly string[]): string[] {
    return ["--port", this.board.address, ...words];
  }

  async ready(): Promise<this> {
    await this.sharing.ensure(this.command, this.board.address);
    return this;
  }

  async list(path: string): Promise<readonly Entry[]> {
    const { entries } = await this.#json<{ entries: readonly Entry[] }>(["ls", remote(path)]);
    return entries;
  }

  stat(path: string): Promise<Entry> {
    return this.#json<Entry>(["stat", remote(path)]);
  }

  async read(path: string): Promise<Uint8Array> {
    return this.command.output(this.arguments(["cat", remote(path)]));
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "flylead-"));
    try {
      const file = join(folder, "content");
      await writeFile(file, content);
      await this.#json(["cp", file, remote(path)]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Copies files and folders of this computer into a directory; an empty name is the board's current one. */
  async upload(paths: readonly string[], directory: string): Promise<void> {
    await this.#json(["cp", "--recursive", ...paths, remote(directory === "" ? "" : `${directory.replace(/\/$/, "")}/`)]);
  }

  async download(path: string, folder: string): Promise<void> {
    await this.#json(["cp", "--recursive", remote(path), folder]);
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#json(["mkdir", remote(path)]);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#json(["mv", remote(from), remote(to)]);
  }

  async remove(path: string): Promise<void> {
    await this.#json(["rm", "--recursive", remote(path)]);
  }

  /** Runs a program of ours, and returns what it printed. */
  async exec(program: string): Promise<string> {
    return new TextDecoder().decode(await this.command.output(this.arguments(["exec", program])));
  }

  async reset(): Promise<void> {
    await this.#json(["reset"]);
  }

  #json<T>(words: readonly string[]): Promise<T> {
    return this.command.json<T>(this.arguments(words));
  }
}

/** A path of the board, as the command tells it from one of this computer. */
function remote(path: string): string {
  return `:${path}`;
}
