/** Lists and searches the packages of an index. */

import { texts } from "../../texts/tools/packages.ts";
import type { Fetcher } from "./fetch.ts";
import { isName } from "./plan.ts";

export interface Listed {
  name: string;
  version: string;
  description: string;
}

/** Returns all packages of the index (micropython-lib, tools/build.py, index.json). */
export async function listPackages({ index, fetch }: Fetcher): Promise<Listed[]> {
  const json = await fetch({ index: "index.json" });
  if (!json) throw new Error(texts.noIndex({ index }));
  try {
    const { packages } = JSON.parse(new TextDecoder().decode(json)) as { packages: Partial<Listed>[] };
    return packages.flatMap(({ name, version, description }) => (typeof name === "string" && isName(name) ? [{ name, version: String(version ?? ""), description: String(description ?? "") }] : []));
  } catch {
    throw new Error(texts.badIndex({ index }));
  }
}

/** Returns the packages that have every word in their name or description; those whose names begin with it first. */
export function search(packages: readonly Listed[], text: string): Listed[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = packages.filter(({ name, description }) => words.every((word) => name.toLowerCase().includes(word) || description.toLowerCase().includes(word)));
  const rank = ({ name }: Listed) => (name.toLowerCase().startsWith(words[0] ?? "") ? 0 : name.toLowerCase().includes(words[0] ?? "") ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Returns true for an address of a package, and false for a name. */
export function isAddress(text: string): boolean {
  return /^(https?:\/\/|github:|gitlab:)./.test(text);
}
