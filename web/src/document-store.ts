/**
 * The documents as this browser keeps them: a record for each, so that one that has no room takes no other with it, and
 * with a version, so that two tabs of the page do not write over each other.
 */

import { readBreakpoint } from "./debug/breakpoint.ts";
import type { Document } from "./document.ts";
import { forget, keep, recall, recallJson, recallNames, watch } from "./storage.ts";

interface Kept {
  /** Another one after each change. */
  version: string;
  document: Document;
}

/** Result of keeping a document. */
export type Keeping = "kept" | "no room" | "changed elsewhere";

export class DocumentStore {
  /** The versions that this tab has read or written last. */
  readonly #versions = new Map<string, string>();

  /** All that are kept, the oldest first. What cannot be read is put aside. */
  load(): Document[] {
    const kept = recallNames(PREFIX).map((name) => this.#read(name)).filter((document) => document !== undefined);
    return kept.sort((one, other) => one.opened - other.opened);
  }

  /** Keeps a document, unless another tab has changed it since this one has seen it. */
  keep(document: Document): Keeping {
    const name = PREFIX + document.id;
    const theirs = recallJson(name, isKept);
    if (theirs && theirs.version !== this.#versions.get(document.id)) return "changed elsewhere";
    const version = crypto.randomUUID();
    if (!keep(name, JSON.stringify({ version, document } satisfies Kept))) return "no room";
    this.#versions.set(document.id, version);
    return "kept";
  }

  drop({ id }: Document): void {
    this.#versions.delete(id);
    forget(PREFIX + id);
  }

  /** Tells of what other tabs change: the document as it is now, or `undefined` when it was closed there. */
  watch(changed: (id: string, document: Document | undefined) => void): void {
    watch(PREFIX, (name) => changed(name.slice(PREFIX.length), recall(name) === undefined ? undefined : this.#read(name)));
  }

  #read(name: string): Document | undefined {
    const kept = recallJson(name, isKept);
    if (kept?.document.id !== name.slice(PREFIX.length)) return undefined;
    this.#versions.set(kept.document.id, kept.version);
    const breakpoints = kept.document.breakpoints?.map(readBreakpoint).filter((one) => one !== undefined);
    return breakpoints ? { ...kept.document, breakpoints } : kept.document;
  }
}

const PREFIX = "document.";

function isKept(value: unknown): value is Kept {
  const { version, document } = (value ?? {}) as Partial<Kept>;
  return typeof version === "string" && isDocument(document);
}

function isDocument(value: Partial<Document> | null | undefined): value is Document {
  if (typeof value?.id !== "string" || typeof value.text !== "string" || typeof value.opened !== "number") return false;
  const { base, breakpoints = [], name, where } = value;
  if (!Array.isArray(breakpoints) || !breakpoints.every(readBreakpoint)) return false;
  return [base, name].every((text) => ["undefined", "string"].includes(typeof text)) && (where === undefined || isWhere(where));
}

function isWhere(where: Partial<Document["where"]> | null): boolean {
  const { id, kind, place, path } = where ?? {};
  return (kind === "board" || kind === "computer") && [id, place, path].every((text) => typeof text === "string");
}
