/** Files of the boards in the page, as this browser stores them: one record per file, by its board's place and its path. */

import { done, openingDatabase } from "../../../storage/database.ts";

/** Content of a file; `null` for a folder. */
export type Content = Uint8Array | null;

/** Loads all files of a board. */
export async function loadFiles(place: number): Promise<Record<string, Content>> {
  const store = (await database()).transaction(FILES).objectStore(FILES);
  const [keys, contents] = [store.getAllKeys(all(place)), store.getAll(all(place))];
  await done(store.transaction);
  return Object.fromEntries((keys.result as [number, string][]).map(([, path], at) => [path, contents.result[at] as Content]));
}

/** Returns true if this browser stores any file of a board. */
export async function hasFiles(place: number): Promise<boolean> {
  const store = (await database()).transaction(FILES).objectStore(FILES);
  const count = store.count(all(place));
  await done(store.transaction);
  return count.result > 0;
}

/** Erases a board's files. */
export async function eraseFiles(place: number): Promise<void> {
  const store = (await database()).transaction(FILES, "readwrite").objectStore(FILES);
  const keys = store.getAllKeys(all(place));
  store.delete(all(place));
  await done(store.transaction);
  const channel = new BroadcastChannel(channelOf(place));
  channel.postMessage((keys.result as [number, string][]).map(([, path]) => path) satisfies News);
  channel.close();
}

/** Paths of a board's files that have just been stored or removed. */
export type News = string[];

/** Returns the name of the channel on which tabs tell each other about a board's files. */
export function channelOf(place: number): string {
  return `flylead.board.${place}`;
}

/** Stores the content of some paths; `undefined` removes one. */
export async function storeFiles(place: number, changes: ReadonlyMap<string, Content | undefined>): Promise<void> {
  const store = (await database()).transaction(FILES, "readwrite").objectStore(FILES);
  for (const [path, content] of changes) {
    if (content === undefined) store.delete([place, path]);
    // A copy, because a view would be stored with its whole buffer.
    else store.put(content && content.slice(), [place, path]);
  }
  await done(store.transaction);
}

/** Reads the stored content of some paths; `undefined` if there is none. */
export async function contentsOf(place: number, paths: readonly string[]): Promise<[string, Content | undefined][]> {
  const store = (await database()).transaction(FILES).objectStore(FILES);
  const requests = paths.map((path) => store.get([place, path]));
  await done(store.transaction);
  return paths.map((path, at) => [path, requests[at]!.result as Content | undefined]);
}

/**
 * Returns the range of all keys that begin with the place: an array sorts after every text (Indexed Database API 3.0,
 * 2.4 Keys).
 */
function all(place: number): IDBKeyRange {
  return IDBKeyRange.bound([place], [place, []]);
}

const FILES = "files";

/** A separate database, so that older tabs of the page do not block a new version. */
const database = openingDatabase("flylead.board", (made) => void made.createObjectStore(FILES));
