/** Installs a package on a board: everything is fetched and checked before the first file is written. */

import type { Board } from "../../boards/boards.ts";
import { ROOT } from "../../places/place.ts";
import { texts } from "../../texts/tools/packages.ts";
import type { Fetch } from "./fetch.ts";
import { plan, type PlannedFile } from "./plan.ts";
import { nameOf } from "./source.ts";

export interface Wanted {
  /** `NAME[@VERSION]`, or an address. */
  request: string;
  /** Folder on the board. */
  target: string;
  /** True to install compiled files, if the package has them for this board. */
  compiled: boolean;
}

export interface Installed {
  written: string[];
  unchanged: string[];
}

/** Facts about packages that a board reports. */
export interface Home {
  /** Folder of its modules. */
  target: string;
  /** Version of compiled files that the board runs. */
  mpy: number | undefined;
}

/**
 * Finds the folder that mip would install to (micropython-lib, micropython/mip): the first one
 * called lib in the search path.
 */
export async function homeOf({ session }: Board): Promise<Home> {
  const { stdout } = await session.use(texts.askingWhere, (board) => board.exec(ASK));
  const [paths = "", mpy = "0"] = stdout.trim().split("\n");
  const library = paths.split("|").find((path) => path.endsWith("/lib") && !path.startsWith("/rom"));
  return { target: library ?? (paths.split("|").includes("") ? ROOT : "/lib"), mpy: Number(mpy) || undefined };
}

/** Installs a package, and reports progress. */
export async function install(board: Board, { request, target, compiled }: Wanted, { mpy }: Home, fetch: Fetch, say: (text: string) => void): Promise<Installed> {
  const files = await plan(request, compiled ? mpy : undefined, fetch);
  if (files.length === 0) throw new Error(texts.noFiles({ name: request }));
  const onBoard = (file: PlannedFile) => `${target.replace(/\/+$/, "")}/${file.path}`;
  const there = await hashesOf(board, files.filter(({ hash }) => hash !== undefined).map(onBoard));
  const isThere = (file: PlannedFile) => file.hash !== undefined && there.get(onBoard(file))?.startsWith(file.hash) === true;
  const missing = files.filter((file) => !isThere(file));
  const contents = [];
  let total = 0;
  for (const [at, file] of missing.entries()) {
    say(texts.fetching({ path: file.path, number: at + 1, all: missing.length }));
    const content = await fetchWhole(file, fetch);
    if ((total += content.length) > MOST_BYTES) throw new Error(texts.tooLarge({ name: request, mebibytes: MOST_BYTES / (1 << 20) }));
    contents.push({ path: onBoard(file), content });
  }
  if (contents.length > 0) say(texts.writing);
  if (contents.length > 0) await board.place.writeAll(contents);
  return { written: contents.map(({ path }) => path), unchanged: files.filter(isThere).map(onBoard) };
}

async function fetchWhole(file: PlannedFile, fetch: Fetch): Promise<Uint8Array<ArrayBuffer>> {
  const content = await fetch(file.source);
  if (!content) throw new Error(texts.missing({ file: nameOf(file.source) }));
  if (file.hash !== undefined && !hex(await crypto.subtle.digest("SHA-256", content)).startsWith(file.hash)) {
    throw new Error(texts.otherHash({ file: file.path }));
  }
  return content;
}

/** Returns the hashes of these files on the board, by path; none if it cannot compute them. */
async function hashesOf({ session }: Board, paths: string[]): Promise<Map<string, string>> {
  const { stdout } = await session.use(texts.looking, (board) => board.exec(hashProgram(paths)));
  const lines = stdout.split(/\r?\n/).map((line) => /^([0-9]+) ([0-9a-f]{64})$/.exec(line));
  return new Map(lines.flatMap((found) => (found ? [[paths[Number(found[1])]!, found[2]!] as const] : [])));
}

function hashProgram(paths: string[]): string {
  return `def hashes(paths):
 import hashlib, binascii
 for at, path in enumerate(paths):
  try:
   with open(path, 'rb') as file:
    whole = hashlib.sha256()
    while True:
     part = file.read(512)
     if not part:
      break
     whole.update(part)
   print(at, binascii.hexlify(whole.digest()).decode())
  except OSError:
   pass
try:
 hashes(${JSON.stringify(paths)})
except (ImportError, AttributeError):
 pass
del hashes`;
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The lowest byte is the version; the others describe native code (MicroPython, docs/reference/mpyfiles.rst). */
const ASK = "import sys\nprint('|'.join(sys.path))\nprint(getattr(sys.implementation, '_mpy', 0) & 255)";
/** Size limit of the files, in bytes, which wait in memory until all have arrived. */
const MOST_BYTES = 64 << 20;
