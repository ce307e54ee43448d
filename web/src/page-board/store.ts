/** The files of the boards in the page, as this browser keeps them: a record a file, by its board's slot and its path. */

import { done, openDatabase } from "../database.ts";

/** `null` is a folder. */
export type Content = Uint8Array | null;

/** All files of a board. */
export async function loadFiles(slot: number): Promise<Record<string, Content>> {
  const store = (await database()).transaction(FILES).objectStore(FILES);
  const [keys, contents] = [store.getAllKeys(all(slot)), store.getAll(all(slot))];
  await done(store.transaction);
  return Object.fromEntries((keys.result as [number, string][]).map(([, path], at) => [path, contents.result[at] as Content]));
}

/** Whether this browser keeps any file of a board. */
export async function hasFiles(slot: number): Promise<boolean> {
  const store = (await database()).transaction(FILES).objectStore(FILES);
  const count = store.count(all(slot));
  await done(store.transaction);
  return count.result > 0;
}

/** Erases a board's files. */
export async function eraseFiles(slot: number): Promise<void> {
  const store = (await database()).transaction(FILES, "readwrite").objectStore(FILES);
  store.delete(all(slot));
  await done(store.transaction);
}

/** Keeps what changes on a board: at once, and while that is under way all that comes meanwhile together. */
export class FileKeeper {
  readonly #slot: number;
  readonly #refused: (error: unknown) => void;
  /** What is to be kept; `undefined` is to be forgotten. */
  #pending = new Map<string, Content | undefined>();
  #writing: Promise<void> | undefined;
  /** Resolved when the rest is to be kept without a pause. */
  readonly #hurry = resolvable();

  /** `refused` is called when the browser would not keep something, which stays on the board until that is closed. */
  constructor(slot: number, refused: (error: unknown) => void) {
    this.#slot = slot;
    this.#refused = refused;
  }

  keep({ changed, removed }: { changed: ReadonlyMap<string, Content>; removed: readonly string[] }): void {
    for (const path of removed) this.#pending.set(path, undefined);
    for (const [path, content] of changed) if (!UNFINISHED.test(path)) this.#pending.set(path, content);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Resolves when all is kept, or refused. */
  async settled(): Promise<void> {
    this.#hurry.resolve();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#pending.size > 0) {
      const now = this.#pending;
      this.#pending = new Map();
      const began = performance.now();
      await this.#put(now).catch(this.#refused);
      // What is written without end is kept now and then, not all the time: this takes half of the time at most.
      if (this.#pending.size > 0) await this.#pause(performance.now() - began);
    }
  }

  async #pause(millis: number): Promise<void> {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, millis)), this.#hurry.promise]);
  }

  async #put(changes: ReadonlyMap<string, Content | undefined>): Promise<void> {
    const store = (await database()).transaction(FILES, "readwrite").objectStore(FILES);
    for (const [path, content] of changes) {
      if (content === undefined) store.delete([this.#slot, path]);
      // A copy: a view would be kept with all of its buffer.
      else store.put(content && content.slice(), [this.#slot, path]);
    }
    await done(store.transaction);
  }
}

function resolvable(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((take) => (resolve = take));
  return { promise, resolve };
}

/** All keys that begin with the slot: an array sorts behind every text (Indexed Database API 3.0, 2.4 Keys). */
function all(slot: number): IDBKeyRange {
  return IDBKeyRange.bound([slot], [slot, []]);
}

let opened: Promise<IDBDatabase> | undefined;

/** A database of its own, so that no older tab of the page stands in the way of a new version. */
function database(): Promise<IDBDatabase> {
  return (opened ??= openDatabase("flylead.board", (made) => void made.createObjectStore(FILES)));
}

const FILES = "files";
/** A file on its way to the board, which is renamed when it is whole (`flylead_core::board`, `temporary_name`). */
const UNFINISHED = /\.[0-9a-f]{8}\.part$/;
