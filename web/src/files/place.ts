/** Place of files: a board, or a folder of this computer. Paths begin with `/` and have no `/` at their end. */

import { decimal, locale } from "../texts/index.ts";

export interface Entry {
  name: string;
  path: string;
  kind: "file" | "directory";
  /** Bytes; 0 for a directory. */
  size: number;
}

/** Progress: bytes done, of the total if that is known. */
export interface Progress {
  done: number;
  total: number | undefined;
}

export interface NewFile {
  path: string;
  content: Uint8Array<ArrayBuffer>;
}

export interface Watch {
  progress?: (progress: Progress) => void;
  signal?: AbortSignal;
}

export interface Place {
  /** Name, such as in `main.py on Raspberry Pi Pico`. */
  readonly name: string;
  readonly kind: "board" | "computer";
  /** Returns the id of the place, which is independent of its name. */
  identify(): Promise<string>;
  list(path: string): Promise<Entry[]>;
  /** All files below a directory. */
  walk(path: string): Promise<Entry[]>;
  read(path: string, watch?: Watch): Promise<Uint8Array<ArrayBuffer>>;
  /** The file's content, or `undefined` if there is none. */
  peek(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  write(path: string, content: Uint8Array<ArrayBuffer>, watch?: Watch): Promise<void>;
  /** Writes all of these, and makes the folders that they are in. */
  writeAll(files: NewFile[], watch?: Watch): Promise<void>;
  /** Makes a directory, and those above it. */
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string, kind: Entry["kind"]): Promise<void>;
  remove(path: string, kind: Entry["kind"]): Promise<void>;
  /** Bytes, where the place can say. */
  space(): Promise<{ total: number; free: number } | undefined>;
}

export const ROOT = "/";

/** All files of a place. A folder in the root may be the machine's and not the board's: the place lists none of those. */
export async function everyFile(place: Place): Promise<Entry[]> {
  const files: Entry[] = [];
  for (const entry of await place.list(ROOT)) {
    if (entry.kind === "file") files.push(entry);
    else files.push(...(await place.walk(entry.path)));
  }
  return files;
}

export function join(folder: string, name: string): string {
  return folder === ROOT ? `/${name}` : `${folder}/${name}`;
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || ROOT;
}

/** The folders that these are in and all above those, from the top. */
export function foldersOf(paths: string[]): string[] {
  const all = new Set<string>();
  for (const path of paths) {
    for (let folder = parentOf(path); folder !== ROOT && !all.has(folder); folder = parentOf(folder)) all.add(folder);
  }
  return [...all].sort();
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Directories first, then by name as people sort. */
export function sorted(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => (a.kind === b.kind ? COLLATOR.compare(a.name, b.name) : a.kind === "directory" ? -1 : 1));
}

/** Bytes as people read them: `1.2 kB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  return `${decimal(bytes / 1000 ** power, 1)} ${UNITS[power - 1]}`;
}

const UNITS = ["kB", "MB", "GB"];
const COLLATOR = new Intl.Collator(locale, { numeric: true });
