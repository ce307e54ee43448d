/** A board in the browser: over Web Serial or a WebREPL, by the npm package. */

import { Board, isFlyleadError, type Link, type OpenLink } from "flylead";
import type { Entry, Fault, Storage } from "../storage";

/** One board. Its link is opened by the first request, and again after it was lost. */
export class Device implements Storage {
  #open: Promise<Board> | undefined;
  #link: OpenLink | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Work that has the board for itself, in the words of the message for other requests. */
  #holder: string | undefined;
  /** True while a terminal shows the prompt: requests lead back to it. */
  hasPrompt = false;

  constructor(
    readonly address: string,
    private readonly connect: () => Promise<OpenLink>,
  ) {}

  async list(path: string): Promise<readonly Entry[]> {
    return (await this.ask((board) => board.files.list(path))).map(entry);
  }

  async stat(path: string): Promise<Entry> {
    return entry(await this.ask((board) => board.files.stat(path)));
  }

  read(path: string): Promise<Uint8Array> {
    return this.ask((board) => board.files.read(path));
  }

  async write(path: string, content: Uint8Array): Promise<void> {
    await this.ask((board) => board.files.write(path, content));
  }

  makeDirectory(path: string): Promise<void> {
    return this.ask((board) => board.files.makeDirectory(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.ask((board) => board.files.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.ask((board) => board.files.remove(path, { recursive: true }));
  }

  async reset(): Promise<void> {
    await this.ask((board) => board.softReset());
  }

  /** Does a short request, after those before it; a program that runs is not waited for. */
  ask<T>(work: (board: Board) => PromiseLike<T>): Promise<T> {
    if (this.#holder) return Promise.reject(new Error(`${this.#holder} on the board; stop it first.`));
    return this.#queue(async () => {
      const board = await this.board();
      try {
        return await work(board);
      } finally {
        await this.#prompt(board);
      }
    });
  }

  /** Does work that has the board to itself: `holder` says what, for requests that come meanwhile. */
  hold<T>(holder: string, work: (board: Board) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      this.#holder = holder;
      try {
        const board = await this.board();
        return await work(board).finally(() => this.#prompt(board));
      } finally {
        this.#holder = undefined;
      }
    });
  }

  /** Lends the link itself to a debugger. */
  lend<T>(holder: string, work: (link: Link) => Promise<T>): Promise<T> {
    return this.#queue(async () => {
      this.#holder = holder;
      try {
        const board = await this.board();
        board.close();
        await board.lost;
        this.#open = undefined;
        return await work(this.#link as OpenLink);
      } finally {
        this.#holder = undefined;
      }
    });
  }

  /** Returns the board, connected. */
  board(): Promise<Board> {
    this.#open ??= this.#attach().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  async close(): Promise<void> {
    const board = await this.#open?.catch(() => undefined);
    board?.close();
    await board?.lost;
    await this.#link?.close();
    this.#open = this.#link = undefined;
  }

  async #attach(): Promise<Board> {
    const link = (this.#link ??= await this.connect());
    const board = Board.attach(link);
    void board.lost.then(async (why) => {
      // A closed board leaves its link to the next one; a lost one has none.
      if (!why || this.#link !== link) return;
      this.#open = this.#link = undefined;
      await link.close();
    });
    return board;
  }

  #queue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #prompt(board: Board): Promise<void> {
    if (this.hasPrompt) await board.leave().catch(() => {});
  }
}

/** Faults of the npm package's errors. */
export const fault: Fault = (error) => {
  if (!isFlyleadError(error)) return error instanceof Error ? "away" : undefined;
  if (error.name === "FileError") return error.kind === "notFound" ? "missing" : "refused";
  return error.name === "LinkError" || error.name === "LostError" ? "away" : "refused";
};

function entry({ name, kind, size, modified }: { name: string; kind: "file" | "directory"; size: number; modified: Date | undefined }): Entry {
  return { name, kind, size, modified: modified && modified.getTime() / 1000 };
}
