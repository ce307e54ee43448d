/** Copies many files from one place to another, several at a time, with a common progress. */

import { texts } from "../texts/tools/files.ts";
import { counted } from "../texts/index.ts";
import { join, type NewFile, type Place, type Watch } from "./place.ts";

export interface Source {
  /** Path below the target folder: `lib/a.py`. */
  path: string;
  /** Size in bytes, for the progress bar before the file is read. */
  size: number;
  read: (watch: Watch) => Promise<Uint8Array<ArrayBuffer>>;
}

export interface Step {
  /** Current file. */
  path: string;
  /** Bytes transferred so far, of all files. */
  done: number;
  total: number;
}

/** Writes all sources below `folder`. Folders are created as needed; cancelling leaves only complete files. */
export async function copyInto(place: Place, folder: string, sources: Source[], report: (step: Step) => void, signal: AbortSignal): Promise<void> {
  const total = sizeOf(sources);
  let before = 0;
  for (const some of batches(sources)) {
    const size = sizeOf(some);
    // Reading counts as half of the progress, writing as the other half.
    const half = (from: number) => (path: string, done: number, all: number) => report({ path, done: before + size * (from + (0.5 * done) / Math.max(all, 1)), total });
    const files = await readAll(folder, some, half(0), signal);
    signal.throwIfAborted();
    const name = some.length === 1 ? some[0]!.path : counted(texts.count, some.length);
    const writing = half(0.5);
    await place.writeAll(files, { signal, progress: ({ done, total: all }) => writing(name, done, all ?? size) });
    before += size;
    report({ path: name, done: before, total });
  }
}

async function readAll(folder: string, sources: Source[], report: (path: string, done: number, all: number) => void, signal: AbortSignal): Promise<NewFile[]> {
  const all = sizeOf(sources);
  const files: NewFile[] = [];
  let before = 0;
  for (const { path, size, read } of sources) {
    signal.throwIfAborted();
    report(path, before, all);
    const content = await read({ signal, progress: ({ done, total }) => report(path, before + size * (done / Math.max(total ?? size, 1)), all) });
    files.push({ path: join(folder, path), content });
    before += size;
  }
  return files;
}

/** Groups sources to transfer together, limited because they wait in memory. */
function* batches(sources: Source[]): Iterable<Source[]> {
  let some: Source[] = [];
  for (const source of sources) {
    some.push(source);
    if (some.length < MAX_FILES && sizeOf(some) < MAX_BYTES) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function sizeOf(sources: Source[]): number {
  return sources.reduce((sum, { size }) => sum + size, 0);
}

const MAX_FILES = 100;
const MAX_BYTES = 256_000;
