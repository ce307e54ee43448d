/** Backs up all files of a board to a zip file, and restores them. */

import { unzip, zip } from "fflate";
import { copyInto, type Step } from "../../places/copy.ts";
import { texts } from "../../texts/tools/device.ts";
import { everyFile, type Place, ROOT } from "../../places/place.ts";

export interface Backup {
  files: number;
  zip: Uint8Array<ArrayBuffer>;
}

/** Reads all files. */
export async function backUp(place: Place, report: (step: Step) => void, signal: AbortSignal): Promise<Backup> {
  const files = await everyFile(place);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const contents: Record<string, Uint8Array> = {};
  let before = 0;
  for (const { path, size } of files) {
    signal.throwIfAborted();
    contents[path.slice(1)] = await place.read(path, { signal, progress: ({ done }) => report({ path, done: before + done, total }) });
    before += size;
  }
  return { files: files.length, zip: await new Promise((resolve, reject) => zip(contents, (fault, made) => (fault ? reject(fault) : resolve(made as Uint8Array<ArrayBuffer>)))) };
}

/** Returns the files of a zip file, by path; folders are created as needed. */
export async function filesIn(bytes: Uint8Array): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const all = await new Promise<Record<string, Uint8Array>>((resolve, reject) => unzip(bytes, (fault, found) => (fault ? reject(new Error(texts.noZip)) : resolve(found))));
  const files = Object.entries(all).filter(([path]) => !path.endsWith("/"));
  const bad = files.find(([path]) => path.startsWith("/") || path.split("/").some((part) => part === "" || part === "." || part === ".."));
  if (bad) throw new Error(texts.badPath({ path: bad[0] }));
  return Object.fromEntries(files) as Record<string, Uint8Array<ArrayBuffer>>;
}

/** Writes the files; others stay unchanged. */
export async function putBack(place: Place, files: Record<string, Uint8Array<ArrayBuffer>>, report: (step: Step) => void, signal: AbortSignal): Promise<void> {
  const sources = Object.entries(files).map(([path, content]) => ({ path, size: content.length, read: async () => content }));
  await copyInto(place, ROOT, sources, report, signal);
}
