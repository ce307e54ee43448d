/**
 * Texts in the editor: programs, which need no file, and open files. All of them are stored in this browser until they
 * are saved, and saving never overwrites someone else's changes. All tabs of the page share them.
 */

import type { Breakpoint } from "../breakpoints/breakpoint.ts";
import { type Document, isSame, isUnsaved, type Where } from "./document.ts";
import { DocumentStore } from "./store.ts";
import type { Editor } from "../editor.ts";
import { nameOf, type Place } from "../../places/place.ts";
import { keepInTab, recallInTab } from "../../storage/storage.ts";
import { texts } from "../../texts/program.ts";

/** Document whose file has changed since it was opened, or already exists. */
export interface Conflict {
  document: Document;
  place: Place;
  where: Where;
  theirs: string;
}

export interface DocumentsOptions {
  editor: Promise<Editor>;
  /** Initial program if nothing is stored. */
  program: string;
  /** Redraws after a change. */
  changed: () => void;
  conflict: (conflict: Conflict | undefined) => void;
  /** Receives the documents that could not be stored in this browser. */
  unkept: (documents: readonly Document[]) => void;
}

export class Documents {
  readonly #options: DocumentsOptions;
  readonly #store = new DocumentStore();
  readonly #unkept = new Set<Document>();
  #all: Document[];
  #current: Document;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#all = this.#store.load();
    if (this.#all.length === 0) this.#all.push(this.#first(options.program));
    this.#current = this.#all.find(({ id }) => id === recallInTab(SHOWN)) ?? this.#all[0]!;
    this.#store.watch((id, document) => void this.#changedElsewhere(id, document));
  }

  /** Creates the first program, which stays beside files that are opened later. */
  #first(text: string): Document {
    const document = { id: "program", opened: 0, text };
    this.#store.keep(document);
    return document;
  }

  get all(): readonly Document[] {
    return this.#all;
  }

  get current(): Document {
    return this.#current;
  }

  /** Takes typed text. */
  typed(id: string, text: string): void {
    const document = this.#all.find((one) => one.id === id);
    if (!document || document.text === text) return;
    const was = isUnsaved(document);
    document.text = text;
    this.#keep(document);
    if (was !== isUnsaved(document)) this.#options.changed();
  }

  /** Takes a document's breakpoints. */
  marked(id: string, breakpoints: readonly Breakpoint[]): void {
    const document = this.#all.find((one) => one.id === id);
    if (!document) return;
    document.breakpoints = breakpoints;
    this.#keep(document);
  }

  /** Puts a document in front. */
  async show(document: Document): Promise<void> {
    this.#current = document;
    keepInTab(SHOWN, document.id);
    this.#options.conflict(undefined);
    await this.#show();
  }

  /** Opens a file, or shows its document if it is open already. */
  async open(place: Place, path: string): Promise<void> {
    const where = await whereIs(place, path);
    const find = () => this.#all.find((document) => isSame(document.where, where));
    const open = find();
    if (open) return this.show(open);
    const text = textOf(path, await place.read(path));
    // It may have been opened a second time meanwhile, for example by a double click.
    await this.show(find() ?? this.#add({ text, where, base: text }));
  }

  /** Adds a separate program, without a file. */
  async begin(text: string, name?: string): Promise<void> {
    await this.show(this.#add(name === undefined ? { text } : { text, name }));
  }

  /** Gives a program a name, or removes it. */
  call(document: Document, name: string | undefined): void {
    if (name === undefined) delete document.name;
    else document.name = name;
    this.#done(document);
  }

  #add(content: Omit<Document, "id" | "opened">): Document {
    const document = { id: crypto.randomUUID(), opened: Date.now(), ...content };
    this.#all.push(document);
    this.#keep(document);
    return document;
  }

  /** Closes a document, and discards its unsaved changes. At least one document always remains. */
  async close(document: Document): Promise<void> {
    this.#store.drop(document);
    await this.#drop(document);
  }

  async #drop(document: Document): Promise<void> {
    const at = this.#all.indexOf(document);
    this.#all.splice(at, 1);
    this.#unkept.delete(document);
    if (this.#all.length === 0) await this.begin("");
    else if (document === this.#current) await this.show(this.#all[Math.max(at - 1, 0)]!);
    (await this.#options.editor).drop(document.id);
    this.#options.changed();
  }

  /** Saves a document to its file, or to `path`. Returns true if it was written; a conflict is shown instead. */
  async save(place: Place, path: string, document = this.#current): Promise<boolean> {
    const where = await whereIs(place, path);
    const found = await place.peek(path);
    const theirs = found && textOf(path, found);
    const isOurs = isSame(document.where, where) && theirs === document.base;
    if (theirs !== undefined && !isOurs && theirs !== document.text) {
      if (document !== this.#current) await this.show(document);
      this.#options.conflict({ document, place, where, theirs });
      return false;
    }
    await this.write(document, place, where);
    return true;
  }

  /** Overwrites a file with a document. Another board may have taken the place since it was checked. */
  async write(document: Document, place: Place, where: Where): Promise<void> {
    const { text } = document;
    if ((await place.identify()) !== where.id) throw new Error(texts.wasOnAnother({ path: where.path }));
    await place.write(where.path, new TextEncoder().encode(text));
    document.where = where;
    document.base = text;
    this.#done(document);
  }

  /** Replaces a document by the content of its file. */
  async take(document: Document, theirs: string, where = document.where): Promise<void> {
    if (where) document.where = where;
    document.text = document.base = theirs;
    this.#done(document);
    if (document === this.#current) (await this.#options.editor).replace(theirs);
  }

  /** Returns true if a file with this path is open, in any place. */
  isOpen(path: string): boolean {
    return this.#all.some(({ where }) => where?.path === path);
  }

  /** Handles a file that was moved, removed or rewritten: an unchanged document follows. */
  async moved(place: Place, from: string, to: string | undefined): Promise<void> {
    const id = await place.identify();
    for (const document of this.#all.filter((one) => isIn(one, id, from))) {
      const path = document.where!.path;
      if (to === undefined) delete document.base;
      else if (to !== from) document.where = { ...document.where!, path: to + path.slice(from.length) };
      else if (!isUnsaved(document)) await this.take(document, textOf(path, await place.read(path)));
      this.#done(document);
    }
  }

  #done(document: Document): void {
    this.#options.conflict(undefined);
    this.#keep(document);
    this.#options.changed();
  }

  /**
   * Handles a document that another tab has opened, changed or closed. A displayed one stays, and is stored again when
   * it changes.
   */
  async #changedElsewhere(id: string, theirs: Document | undefined): Promise<void> {
    const ours = this.#all.find((one) => one.id === id);
    if (theirs && ours) {
      Object.assign(ours, { where: theirs.where, name: theirs.name, text: theirs.text, base: theirs.base });
      if (ours === this.#current) (await this.#options.editor).follow(theirs.text);
    } else if (theirs) {
      this.#all.push(theirs);
    } else if (ours && ours !== this.#current) {
      await this.#drop(ours);
    }
    this.#options.changed();
  }

  async #show(): Promise<void> {
    this.#options.changed();
    const editor = await this.#options.editor;
    editor.show(this.#current.id, this.#current.text, nameOf(this.#current.where?.path ?? this.#current.name ?? PROGRAM_NAME), this.#current.breakpoints ?? []);
  }

  /** Saves a document; if another tab changed it at the same moment, both versions are kept. */
  #keep(document: Document): void {
    const became = this.#store.keep(document);
    if (became === "changed elsewhere") return this.#part(document);
    const had = this.#unkept.size;
    if (became === "kept") this.#unkept.delete(document);
    else this.#unkept.add(document);
    if (had > 0 || this.#unkept.size > 0) this.#options.unkept([...this.#unkept]);
  }

  #part(document: Document): void {
    const own = { ...document, id: crypto.randomUUID(), opened: Date.now() };
    const [theirs] = this.#store.load().filter(({ id }) => id === document.id);
    this.#all.splice(this.#all.indexOf(document), 1, ...(theirs ? [theirs] : []), own);
    this.#keep(own);
    if (document === this.#current) void this.show(own);
  }
}

async function whereIs(place: Place, path: string): Promise<Where> {
  return { id: await place.identify(), kind: place.kind, place: place.name, path };
}

function isIn({ where }: Document, id: string, path: string): boolean {
  return where?.id === id && (where.path === path || where.path.startsWith(`${path}/`));
}

function textOf(path: string, content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Error(texts.noTextDownload({ path }));
  }
}

const SHOWN = "shown";
/** Name of the program for an editor. */
const PROGRAM_NAME = "program.py";
