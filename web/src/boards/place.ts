/** Files of the board in front. */

import type { Files, Transfer } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { AT } from "./connection/mounted.ts";
import { Modules } from "./modules.ts";
import type { Session } from "./session.ts";
import { texts } from "../texts/board.ts";
import { type Entry, foldersOf, join, type NewFile, type Place, sorted, type Watch } from "../places/place.ts";

export interface BoardPlace extends Place {
  /** Known facts about the board's modules. */
  readonly modules: Modules;
}

export function boardPlace(session: Session): BoardPlace {
  const modules = new Modules(session);
  const use = <T>(doing: string, work: (files: Files) => Promise<T>) => session.use(doing, (board) => work(board.files));
  return {
    get name() {
      return session.boardName;
    },
    kind: "board",
    identify: () => session.identify(),
    modules,
    list: (path) =>
      use(texts.listing, async (files) => {
        const entries = await files.list(path);
        // Modules that cannot be read stay unknown, and do not make a listing fail.
        await modules.read(files, path, entries).catch(() => undefined);
        return sorted(entries.filter(isWorth(session, path)).map((entry) => entryIn(path, entry)));
      }),
    walk: (path) => use(texts.listing, (files) => walk(files, path)),
    read: (path, watch) =>
      use(texts.reading({ path }), async (files) => {
        const content = await follow(files.read(path), watch);
        modules.keep(path, content);
        return content;
      }),
    peek: (path) => use(texts.reading({ path }), (files) => peek(files, path)),
    write: (path, content, watch) =>
      use(texts.writing({ path }), async (files) => {
        await follow(files.write(path, content), watch);
        modules.keep(path, content);
      }),
    writeAll: (all, watch) =>
      use(texts.writingFiles, async (files) => {
        await writeAll(files, all, watch);
        for (const { path, content } of all) modules.keep(path, content);
      }),
    makeDirectory: (path) => use(texts.makingFolder, (files) => files.makeDirectory(path, { parents: true })),
    rename: (from, to) => (modules.forget(from), modules.forget(to), use(texts.renaming, (files) => files.rename(from, to))),
    remove: (path, kind) => (modules.forget(path), use(texts.deleting, (files) => files.remove(path, { recursive: kind === "directory" }))),
    // A board with one flat folder cannot report it.
    space: () => use(texts.listing, (files) => files.space().catch(() => undefined)),
  };
}

interface Found {
  name: string;
  kind: Entry["kind"];
  size: number;
}

function entryIn(folder: string, { name, kind, size }: Found): Entry {
  return { name, kind, size, path: join(folder, name) };
}

/**
 * Returns a filter for a folder's entries. A board in the page also has folders of its machine, which are hidden, and
 * so is a mounted local folder, which is listed separately.
 */
function isWorth(session: Session, folder: string): (entry: Found) => boolean {
  return ({ name, kind }) => {
    const path = join(folder, name);
    return kind !== "directory" || !(session.machineFolders?.has(path) || (session.folder && path === AT));
  };
}

async function walk(files: Files, path: string): Promise<Entry[]> {
  const entries = await files.tree(path);
  return entries.filter(({ kind }) => kind === "file").map((entry) => entryIn(path, entry));
}

async function peek(files: Files, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await files.read(path);
  } catch (error) {
    if (isFlyleadError(error) && error.name === "FileError" && error.kind === "notFound") return undefined;
    throw error;
  }
}

async function writeAll(files: Files, all: NewFile[], watch?: Watch): Promise<void> {
  const folders = foldersOf(all.map(({ path }) => path)).map((path) => ({ path }));
  await follow(files.writeTree([...folders, ...all.map(({ path, content: data }) => ({ path, data }))]), watch);
}

/** Passes on a transfer's progress, and cancels the transfer on request. */
async function follow<T>(transfer: Transfer<T>, { progress, signal }: Watch = {}): Promise<T> {
  const cancel = () => transfer.cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel);
  try {
    for await (const news of transfer) progress?.(news);
    return await transfer;
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
