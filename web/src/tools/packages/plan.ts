/** Plans the files of an installation, in the format of MicroPython's own installer, mip. */

import { texts } from "../../texts/tools/packages.ts";
import type { Fetch } from "./fetch.ts";
import { fileOf, isInside, isWord, nameOf, type Request, requestOf, type Source } from "./source.ts";

export interface PlannedFile {
  /** Path below the target. */
  path: string;
  source: Source;
  /** Prefix of its SHA-256, if the package gives one. */
  hash: string | undefined;
}

/** The parts of a package.json that an installation needs (micropython-lib, tools/build.py). */
interface Manifest {
  hashes: [string, string][];
  urls: [string, string][];
  deps: [string, string][];
}

/**
 * Returns all files of a package and of its dependencies; nothing is written, so that an incomplete package changes
 * nothing. `mpy` is the version of compiled files that the board runs; without it, sources are used.
 */
export async function plan(request: string, mpy: number | undefined, fetch: Fetch): Promise<PlannedFile[]> {
  const files = new Map<string, PlannedFile>();
  const wanted = [requestOf(request)];
  const seen = new Set<string>();
  for (let next; (next = wanted.shift()); ) {
    const key = "name" in next ? next.name : next.url;
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > MOST_PACKAGES) throw new Error(texts.tooManyPackages({ most: MOST_PACKAGES }));
    if ("url" in next && next.isCode) {
      add(files, { path: next.url.slice(next.url.lastIndexOf("/") + 1), source: next, hash: undefined });
      continue;
    }
    const { source, manifest } = await find(next, mpy, fetch);
    const typed = "typed" in next ? next.typed : request;
    for (const [path, hash] of manifest.hashes) add(files, { path, source: inIndex(hash, source), hash });
    for (const [path, address] of manifest.urls) add(files, { path, source: fileOf(source, address, next.version, typed), hash: undefined });
    wanted.push(...manifest.deps.map(([name, version]) => requestOf(version === "" || version === "latest" || /^https?:/.test(name) ? name : `${name}@${version}`, typed)));
  }
  return [...files.values()];
}

/** Reads the package.json from the first place that has it. */
async function find(request: Request, mpy: number | undefined, fetch: Fetch): Promise<{ source: Source; manifest: Manifest }> {
  const flavors = mpy === undefined ? ["py"] : [String(mpy), "py"];
  const sources: Source[] = "url" in request ? [request] : flavors.map((flavor) => ({ index: `package/${flavor}/${request.name}/${request.version}.json` }));
  for (const source of sources) {
    const json = await fetch(source);
    if (json) return { source, manifest: manifestIn(json, source) };
  }
  if ("url" in request) throw new Error(texts.noPackageAt({ url: request.url }));
  throw new Error(texts.notInIndex({ name: request.version === "latest" ? request.name : `${request.name} ${request.version}` }));
}

function manifestIn(json: Uint8Array, source: Source): Manifest {
  try {
    const { hashes = [], urls = [], deps = [] } = JSON.parse(new TextDecoder().decode(json)) as Partial<Manifest>;
    if (![hashes, urls, deps].every((list) => Array.isArray(list) && list.every(isPair))) throw new Error();
    return { hashes, urls, deps };
  } catch {
    throw new Error(texts.badPackage({ name: nameOf(source) }));
  }
}

function isPair(pair: unknown): boolean {
  return Array.isArray(pair) && pair.length >= 2 && typeof pair[0] === "string" && typeof pair[1] === "string";
}

function inIndex(hash: string, source: Source): Source {
  if (!/^[0-9a-f]{8,64}$/.test(hash)) throw new Error(texts.badHash({ name: nameOf(source), hash }));
  return { index: `file/${hash.slice(0, 2)}/${hash}` };
}

function add(files: Map<string, PlannedFile>, file: PlannedFile): void {
  if (!isInside(file.path)) throw new Error(texts.badPath({ path: file.path }));
  const other = files.get(file.path);
  if (other && (nameOf(other.source) !== nameOf(file.source) || other.hash !== file.hash)) throw new Error(texts.twoFiles({ path: file.path }));
  files.set(file.path, file);
  if (files.size > MOST_FILES) throw new Error(texts.tooManyFiles({ most: MOST_FILES }));
}

/** Returns true if this could be the name of a package. */
export const isName = isWord;
const MOST_PACKAGES = 100;
const MOST_FILES = 2000;
