/** The board in use, and everything that one asks of it by the command. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Board } from "./boards";
import { type Command, CommandError } from "./command";
import type { Sharing } from "./sharing";
import type { Entry, Fault, Storage } from "./storage";

/** Time that a request waits for another user of the board before it is given up, in milliseconds. */
const PATIENCE = 5_000;
/** Time between two looks who has the board, in milliseconds. */
const PERIOD = 1_000;

/** Faults of requests by the command. */
export function fault(error: unknown): ReturnType<Fault> {
  if (!(error instanceof CommandError)) return undefined;
  if (/no such file or directory/.test(error.message)) return "missing";
  return error.code === "no-link" || error.code === "missing" ? "away" : "refused";
}

/** Users of the board that a request waits for. */
export interface Rivals {
  /** Looks which tool of another window or terminal has the board. */
  tool(address: string): Promise<string | undefined>;
  /** Returns the program that this window runs on the board. */
  program(address: string): string | undefined;
}

export class Device implements Storage {
  constructor(
    readonly board: Board,
    readonly command: Command,
    private readonly sharing: Sharing,
    private readonly rivals: Rivals,
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
    return this.#patiently((signal) => this.command.output(this.arguments(["cat", remote(path)]), signal));
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
    return new TextDecoder().decode(await this.#patiently((signal) => this.command.output(this.arguments(["exec", program]), signal)));
  }

  async reset(): Promise<void> {
    await this.#json(["reset"]);
  }

  #tool(): Promise<string | undefined> {
    return this.rivals.tool(this.board.address);
  }

  #json<T>(words: readonly string[]): Promise<T> {
    return this.#patiently((signal) => this.command.json<T>(this.arguments(words), signal));
  }

  /** Does a request that waits for its turn. One that waits for longer than a person would is given up, and its error says who has the board. */
  async #patiently<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    let user: string | undefined;
    const look = async () => {
      user ??= this.rivals.program(this.board.address) ?? (await this.#tool());
      if (user) stop.abort();
    };
    const looks = setInterval(() => void look().catch(() => {}), PATIENCE);
    try {
      return await work(stop.signal);
    } catch (error) {
      throw user ? busy(user) : error;
    } finally {
      clearInterval(looks);
    }
  }

  /** Waits until no other tool has the board, but not for long. */
  async free(): Promise<void> {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const user = await this.#tool();
      if (!user) return;
      if (Date.now() > end) throw busy(user);
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  /** Says who has the board, as long as somebody else does and the work goes on that waits for it. */
  waiting(say: (text: string) => void): { end(): void } {
    let said: string | undefined;
    const look = async () => {
      const user = await this.#tool();
      if (user && !said) say(`The board is in use by ${user}. This begins when it is free.\n`);
      said ??= user;
    };
    const looks = setInterval(() => void look().catch(() => {}), PERIOD);
    return { end: () => clearInterval(looks) };
  }
}

/** A path of the board, as the command tells it from one of this computer. */
function remote(path: string): string {
  return `:${path}`;
}

function busy(user: string): CommandError {
  return new CommandError(`The board is in use by ${user}. End that, or wait until it is free.`, "in-use");
}
