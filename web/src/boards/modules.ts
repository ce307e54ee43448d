/**
 * Cache of a board's modules that are not open, for completion and checks.
 *
 * No board is interrupted for it. A board in the page can be read at any time. On any other board, a listing that the
 * user requested also reads the listed modules that open programs import, and content that is read or written anyway is
 * cached.
 */

import type { FileEntry, Files } from "flylead";
import type { Session } from "./session.ts";
import { join, parentOf } from "../places/place.ts";

export interface Module {
  path: string;
  text: string;
}

export class Modules {
  readonly #session: Session;
  /** Id of the board with these modules. */
  #of: string | undefined;
  readonly #known = new Map<string, Known>();
  /** Names that open programs import. */
  #wanted: ReadonlySet<string> = new Set();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Returns all known modules, for programs with these texts. */
  beside(texts: readonly string[]): Module[] {
    this.#wanted = importsOf(texts);
    const { filesInPage } = this.#session;
    if (filesInPage) return modulesIn(filesInPage);
    this.#begin();
    return [...this.#known].map(([path, { text }]) => ({ path, text }));
  }

  /** Reads the wanted modules of a folder that was just listed, and forgets deleted ones. */
  async read(files: Files, folder: string, entries: readonly FileEntry[]): Promise<void> {
    if (this.#session.filesInPage) return;
    this.#begin();
    const there = new Map(entries.filter(isModule).map((entry) => [join(folder, entry.name), entry]));
    for (const path of [...this.#known.keys()]) if (parentOf(path) === folder && !there.has(path)) this.#known.delete(path);
    let room = AT_ONCE;
    for (const [path, entry] of there) {
      if (!this.#isWanted(path) || isSame(this.#known.get(path), entry) || entry.size > room) continue;
      room -= entry.size;
      this.keep(path, await files.read(path), entry);
    }
  }

  /** Caches the content of a file that was just read or written; the oldest entry is evicted. */
  keep(path: string, content: Uint8Array, entry?: FileEntry): void {
    if (this.#session.filesInPage) return;
    this.#begin();
    this.#known.delete(path);
    if (!path.endsWith(PYTHON) || content.length > LONGEST) return;
    this.#known.set(path, { text: decoder.decode(content), size: content.length, modified: entry?.modified?.getTime() });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value!);
  }

  /** Forgets a deleted path, and everything below it. */
  forget(path: string): void {
    for (const known of [...this.#known.keys()]) if (known === path || known.startsWith(`${path}/`)) this.#known.delete(known);
  }

  #isWanted(path: string): boolean {
    const name = path.slice(path.lastIndexOf("/") + 1, -PYTHON.length);
    return this.#wanted.has(name) || [...this.#known.values()].some(({ text }) => importsOf([text]).has(name));
  }

  /** Clears the cache if the board has changed. */
  #begin(): void {
    if (this.#of === this.#session.identity) return;
    this.#of = this.#session.identity;
    this.#known.clear();
  }
}

interface Known {
  text: string;
  size: number;
  modified: number | undefined;
}

/** Returns true if a file is unchanged; one written here has no time from the board, and is read once more. */
function isSame(known: Known | undefined, { size, modified }: FileEntry): boolean {
  return known?.size === size && known.modified === modified?.getTime();
}

function isModule({ name, kind, size }: FileEntry): boolean {
  return kind === "file" && name.endsWith(PYTHON) && size <= LONGEST;
}

/** Returns the names that these programs import, according to lines that begin with an import: for `a.b`, `a` and `b`. */
export function importsOf(texts: readonly string[]): ReadonlySet<string> {
  const names = texts.flatMap((text) => [...text.matchAll(IMPORT)].flatMap(([, names]) => names!.match(NAME) ?? []));
  return new Set(names);
}

/**
 * Returns the modules among files, each decoded once: bytes of a file are never modified, and a changed file has other
 * bytes (`wasm/js/browser-board/files.js`).
 */
function modulesIn(files: ReadonlyMap<string, Uint8Array>): Module[] {
  const modules = [...files].filter(([path, bytes]) => path.endsWith(PYTHON) && bytes.length <= LONGEST);
  return modules.slice(0, MOST).map(([path, bytes]) => ({ path, text: textOf(bytes) }));
}

function textOf(bytes: Uint8Array): string {
  let text = texts.get(bytes);
  if (text === undefined) texts.set(bytes, (text = decoder.decode(bytes)));
  return text;
}

const texts = new WeakMap<Uint8Array, string>();
const decoder = new TextDecoder();
const PYTHON = ".py";
const IMPORT = /^[ \t]*(?:import|from)[ \t]+([^#;\n]+)/gm;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/gu;
/** Size limit of a module, in bytes. */
const LONGEST = 64 << 10;
/** Amount read with one listing, in bytes: three seconds at 115 200 baud. */
const AT_ONCE = 32 << 10;
/** Limit of kept modules. */
const MOST = 32;
