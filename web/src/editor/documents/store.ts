/**
 * Stores the documents in this browser: each in a record of its own, so that one that does not fit costs no other, and
 * with a version, so that two tabs of the page do not overwrite each other's changes.
 */

import { readBreakpoint } from "../breakpoints/breakpoint.ts";
import type { Document } from "./document.ts";
import { forget, keep, recall, recallJson, recallNames, watch } from "../../storage/storage.ts";

interface Kept {
  /** Changes with each write. */
  version: string;
  document: Document;
}

/** Result of storing a document. */
export type Keeping = "kept" | "no room" | "changed elsewhere";

export class DocumentStore {
  /** Versions that this tab has last read or written. */
  readonly #versions = new Map<string, string>();

  /** Loads all stored documents, oldest first. Unreadable ones are set aside. */
  load(): Document[] {
    const kept = recallNames(PREFIX).map((name) => this.#read(name)).filter((document) => document !== undefined);
    return kept.sort((one, other) => one.opened - other.opened);
  }

  /** Stores a document, unless another tab has changed it since this one has read it. */
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

  /** Reports changes by other tabs: the current document, or `undefined` if it was closed there. */
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
