/** Place of files: a board, or a local folder. Paths begin with `/` and do not end with one. */

import { decimal, locale } from "../texts/index.ts";

export interface Entry {
  name: string;
  path: string;
  kind: "file" | "directory";
  /** Size in bytes; 0 for a directory. */
  size: number;
}

/** Progress: bytes done, and the total if known. */
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
  /** Name, as in `main.py on Raspberry Pi Pico`. */
  readonly name: string;
  readonly kind: "board" | "computer";
  /** Returns the id of the place, which does not depend on its name. */
  identify(): Promise<string>;
  list(path: string): Promise<Entry[]>;
  /** Returns all files below a directory. */
  walk(path: string): Promise<Entry[]>;
  read(path: string, watch?: Watch): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the file's content, or `undefined` if it does not exist. */
  peek(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  write(path: string, content: Uint8Array<ArrayBuffer>, watch?: Watch): Promise<void>;
  /** Writes all of these files, and creates their folders. */
  writeAll(files: NewFile[], watch?: Watch): Promise<void>;
  /** Makes a directory, and its parents. */
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string, kind: Entry["kind"]): Promise<void>;
  remove(path: string, kind: Entry["kind"]): Promise<void>;
  /** Returns the space in bytes, if the place reports it. */
  space(): Promise<{ total: number; free: number } | undefined>;
}

export const ROOT = "/";

/** Returns all files of a place. Folders in the root that belong to the machine rather than to the board are not listed. */
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

/** Returns the folders that contain these paths, parents first. */
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

/** Sorts directories first, then by name as people sort. */
export function sorted(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => (a.kind === b.kind ? COLLATOR.compare(a.name, b.name) : a.kind === "directory" ? -1 : 1));
}

/** Formats a size for people: `1.2 kB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  return `${decimal(bytes / 1000 ** power, 1)} ${UNITS[power - 1]}`;
}

const UNITS = ["kB", "MB", "GB"];
const COLLATOR = new Intl.Collator(locale, { numeric: true });
