/**
 * The texts on the bench: the program, which needs no file, and the files that are open. All of them are kept in this
 * browser until they are saved, and saving never overwrites what somebody else has changed meanwhile.
 */

import type { Editor } from "./editor.ts";
import { nameOf, type Place } from "./files/place.ts";
import { keep, recall, recallJson } from "./storage.ts";

/** A file of a place. */
export interface Where {
  kind: Place["kind"];
  /** What the place is called. */
  place: string;
  /** Which place it is. */
  id: string;
  path: string;
}

export interface Document {
  readonly id: string;
  /** Where it is a file; the program is none. */
  where?: Where;
  text: string;
  /** What the file had when it was last read or written here. */
  base?: string;
}

/** The file is not what it was when it was opened, or is there already. */
export interface Conflict {
  document: Document;
  place: Place;
  where: Where;
  theirs: string;
}

export interface DocumentsOptions {
  editor: Promise<Editor>;
  /** What the program is when nothing is kept. */
  program: string;
  /** Something has changed that is to be drawn. */
  changed: () => void;
  conflict: (conflict: Conflict | undefined) => void;
  /** Whether the texts could be kept in this browser. */
  kept: (were: boolean) => void;
}

export class Documents {
  readonly #options: DocumentsOptions;
  #all: Document[];
  #current: Document;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#all = restore(options.program);
    this.#current = this.#all.find(({ id }) => id === recall(SHOWN)) ?? this.#all[0]!;
  }

  get all(): readonly Document[] {
    return this.#all;
  }

  get current(): Document {
    return this.#current;
  }

  /** Takes what was typed. */
  typed(id: string, text: string): void {
    const document = this.#all.find((one) => one.id === id);
    if (!document || document.text === text) return;
    const was = isUnsaved(document);
    document.text = text;
    this.#keep();
    if (was !== isUnsaved(document)) this.#options.changed();
  }

  /** Puts a document in front. */
  async show(document: Document): Promise<void> {
    this.#current = document;
    keep(SHOWN, document.id);
    this.#options.conflict(undefined);
    await this.#show();
  }

  /** Opens a file, or the document that it is already. */
  async open(place: Place, path: string): Promise<void> {
    const where = await whereIs(place, path);
    const open = this.#all.find((document) => isSame(document.where, where));
    if (open) return this.show(open);
    const text = textOf(path, await place.read(path));
    const document = { id: crypto.randomUUID(), where, text, base: text };
    this.#all.push(document);
    this.#keep();
    await this.show(document);
  }

  /** Lets a document go, with what is not saved of it. */
  async close(document: Document): Promise<void> {
    const at = this.#all.indexOf(document);
    this.#all.splice(at, 1);
    this.#keep();
    if (document === this.#current) await this.show(this.#all[at - 1]!);
    (await this.#options.editor).drop(document.id);
    this.#options.changed();
  }

  /** Writes the shown document to its file, or to `path`. Says whether it is written: a conflict is shown instead. */
  async save(place: Place, path: string): Promise<boolean> {
    const document = this.#current;
    const where = await whereIs(place, path);
    const found = await place.peek(path);
    const theirs = found && textOf(path, found);
    const isOurs = isSame(document.where, where) && theirs === document.base;
    if (theirs !== undefined && !isOurs && theirs !== document.text) {
      this.#options.conflict({ document, place, where, theirs });
      return false;
    }
    await this.write(document, place, where);
    return true;
  }

  /** Writes a document to a file, whatever is in it. Another board may have come to the place since it was looked at. */
  async write(document: Document, place: Place, where: Where): Promise<void> {
    const { text } = document;
    if ((await place.identify()) !== where.id) throw new Error(`${where.path} was looked at on another board than the one that is connected now. Nothing was written.`);
    await place.write(where.path, new TextEncoder().encode(text));
    document.where = where;
    document.base = text;
    this.#done();
  }

  /** Makes a document what its file is. */
  async take(document: Document, theirs: string, where = document.where): Promise<void> {
    if (where) document.where = where;
    document.text = document.base = theirs;
    this.#done();
    if (document === this.#current) (await this.#options.editor).replace(theirs);
  }

  /** A file is elsewhere, or nowhere, or has another content: an unchanged document goes with it. */
  async moved(place: Place, from: string, to: string | undefined): Promise<void> {
    const id = await place.identify();
    for (const document of this.#all.filter((one) => isIn(one, id, from))) {
      const path = document.where!.path;
      if (to === undefined) delete document.base;
      else if (to !== from) document.where = { ...document.where!, path: to + path.slice(from.length) };
      else if (!isUnsaved(document)) await this.take(document, textOf(path, await place.read(path)));
    }
    this.#done();
  }

  #done(): void {
    this.#options.conflict(undefined);
    this.#keep();
    this.#options.changed();
  }

  async #show(): Promise<void> {
    this.#options.changed();
    const editor = await this.#options.editor;
    editor.show(this.#current.id, this.#current.text, nameOf(this.#current.where?.path ?? PROGRAM_NAME));
  }

  #keep(): void {
    this.#options.kept(keep(DOCUMENTS, JSON.stringify(this.#all)));
  }
}

/** Whether there is something in it that no file has. The program is kept in the browser, which is all it wants. */
export function isUnsaved({ where, text, base }: Document): boolean {
  return where !== undefined && text !== base;
}

export function titleOf({ where }: Document): string {
  return where ? nameOf(where.path) : "Program";
}

async function whereIs(place: Place, path: string): Promise<Where> {
  return { id: await place.identify(), kind: place.kind, place: place.name, path };
}

export function isSame(one: Where | undefined, other: Where): boolean {
  return one?.id === other.id && one.path === other.path;
}

function isIn({ where }: Document, id: string, path: string): boolean {
  return where?.id === id && (where.path === path || where.path.startsWith(`${path}/`));
}

function restore(program: string): Document[] {
  const kept = recallJson(DOCUMENTS, isDocuments) ?? [];
  return kept.length > 0 ? kept : [{ id: "program", text: program }];
}

function isDocuments(value: unknown): value is Document[] {
  return Array.isArray(value) && value.every(isDocument);
}

function isDocument(value: Partial<Document> | null): value is Document {
  if (typeof value?.id !== "string" || typeof value.text !== "string") return false;
  const { base, where } = value;
  return ["undefined", "string"].includes(typeof base) && (where === undefined || isWhere(where));
}

function isWhere(where: Partial<Where> | null): boolean {
  const { id, kind, place, path } = where ?? {};
  return (kind === "board" || kind === "computer") && [id, place, path].every((text) => typeof text === "string");
}

function textOf(path: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error(`${path} is no text. Download it to look at it.`);
  }
}

const DOCUMENTS = "documents";
const SHOWN = "shown";
/** What an editor takes the program for. */
const PROGRAM_NAME = "program.py";
