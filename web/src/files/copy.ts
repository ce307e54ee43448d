/** Many files from here to there, one after the other, with progress over all of them. */

import { join, parentOf, type Place, type Watch } from "./place.ts";

export interface Source {
  /** Where it goes, below the target folder: `lib/a.py`. */
  path: string;
  /** Bytes, for the progress before it is read. */
  size: number;
  read: (watch: Watch) => Promise<Uint8Array<ArrayBuffer>>;
}

export interface Step {
  /** The file that is under way. */
  path: string;
  /** Bytes of all files. */
  done: number;
  total: number;
}

/** Writes all sources below `folder`. Folders are made as they are needed; a cancelled one leaves whole files. */
export async function copyInto(place: Place, folder: string, sources: Source[], report: (step: Step) => void, signal: AbortSignal): Promise<void> {
  const total = sources.reduce((sum, { size }) => sum + size, 0);
  const made = new Set([folder]);
  let before = 0;
  for (const { path, size, read } of sources) {
    signal.throwIfAborted();
    const target = join(folder, path);
    await makeFolder(place, parentOf(target), made);
    // Half of the way is reading it, the other half writing.
    const half = (from: number): Watch => ({
      signal,
      progress: ({ done, total: all }) => report({ path, done: before + size * (from + (0.5 * done) / Math.max(all ?? size, 1)), total }),
    });
    report({ path, done: before, total });
    const content = await read(half(0));
    signal.throwIfAborted();
    await place.write(target, content, half(0.5));
    before += size;
    report({ path, done: before, total });
  }
}

async function makeFolder(place: Place, path: string, made: Set<string>): Promise<void> {
  if (made.has(path)) return;
  await place.makeDirectory(path);
  made.add(path);
}
