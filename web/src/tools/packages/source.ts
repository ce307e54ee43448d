/**
 * Sources of packages and their files: the index, or an address. The rules are those of `flylead
 * install` (native/src/deploy/install).
 */

import { texts } from "../../texts/tools/packages.ts";

/** File of the index, by its path there, or file at an address that follows from the `typed` text. */
export type Source = { index: string } | { url: string; typed: string };

/** Request: a name in the index, or an address and the file to look for there. */
export type Request = { name: string; version: string } | { url: string; typed: string; version: string | undefined; isCode: boolean };

/** Parses `NAME[@VERSION]`, a URL, or `github:OWNER/REPOSITORY[/PATH][@BRANCH]`; `typed` is the user's original request. */
export function requestOf(text: string, typed = text): Request {
  const [name, version] = /^https?:/.test(text) ? [text, undefined] : split(text);
  const url = addressOf(asFile(name), version ?? "HEAD");
  if (url !== undefined) return { url, typed, version, isCode: isCode(name) };
  if (!isWord(name) || (version !== undefined && !isWord(version))) throw new Error(texts.badRequest({ text }));
  return { name, version: version ?? "latest" };
}

/** Resolves a file that the package.json at `source` names: at a full address, or beside it. */
export function fileOf(source: Source, address: string, version: string | undefined, typed: string): Source {
  const url = addressOf(address, version ?? "HEAD");
  if (url !== undefined) return { url, typed };
  if (!isInside(address)) throw new Error(texts.outside({ path: address }));
  if ("index" in source) return { index: beside(source.index, address) };
  return { url: beside(source.url.split(/[?#]/)[0]!, address), typed };
}

export function nameOf(source: Source): string {
  return "index" in source ? source.index : source.url;
}

/** Returns true if a path stays below its start. */
export function isInside(path: string): boolean {
  return !/[\\:\p{Cc}]/u.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
}

/** Returns true for a valid component of the index's paths. */
export function isWord(text: string): boolean {
  return /^[A-Za-z0-9_+-][A-Za-z0-9._+-]*$/.test(text);
}

/**
 * Returns true if a package may refer to this address: at the host that the user typed, or at a known host of
 * repositories.
 */
export function mayAsk(url: string, typed: string): boolean {
  const { host, username, password } = new URL(url);
  return username === "" && password === "" && (FORGES.some((forge) => forge.host === host) || (/^https?:/.test(typed) && new URL(typed).host === host));
}

function split(text: string): [string, string | undefined] {
  const at = text.lastIndexOf("@");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the address of a folder's package.json. */
function asFile(name: string): string {
  return isCode(name) || name.endsWith(".json") ? name : `${name.replace(/\/+$/, "")}/package.json`;
}

function isCode(name: string): boolean {
  return /\.m?py$/.test(name);
}

function addressOf(text: string, branch: string): string | undefined {
  if (/^https?:\/\//.test(text)) return text;
  const forge = FORGES.find(({ scheme }) => text.startsWith(scheme));
  if (!forge) return undefined;
  const [owner, repository, ...file] = text.slice(forge.scheme.length).split("/");
  const path = `${owner}/${repository}/${forge.raw}${branch}/${file.join("/")}`;
  if (!owner || !repository || file.length === 0 || !isInside(path)) throw new Error(texts.badRepository({ text, scheme: forge.scheme }));
  return `https://${forge.host}/${path}`;
}

function beside(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) + name;
}

const FORGES = [
  { scheme: "github:", host: "raw.githubusercontent.com", raw: "" },
  { scheme: "gitlab:", host: "gitlab.com", raw: "-/raw/" },
] as const;
