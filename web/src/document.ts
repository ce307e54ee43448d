/** A text in the editor: a program, which needs no file, or a file that is open. */

import type { Breakpoint } from "./debug/breakpoint.ts";
import { nameOf, type Place } from "./files/place.ts";
import { texts } from "./texts/program.ts";

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
  /** When it was opened, in milliseconds since 1970: their order. */
  readonly opened: number;
  /** Where it is a file; a program is none. */
  where?: Where;
  /** What a program is called that was opened or saved as a file of this computer. */
  name?: string;
  text: string;
  /** What the file had when it was last read or written here. */
  base?: string;
  breakpoints?: readonly Breakpoint[];
}

/** Whether there is something in it that no file has. A program is kept in the browser, which is all it wants. */
export function isUnsaved({ where, text, base }: Document): boolean {
  return where !== undefined && text !== base;
}

/** What to call one of these. */
export function titleOf(document: Document, all: readonly Document[]): string {
  if (document.where) return nameOf(document.where.path);
  if (document.name !== undefined) return document.name;
  const place = all.filter(({ where, name }) => !where && name === undefined).indexOf(document);
  return place > 0 ? texts.numbered(place + 1) : texts.program;
}

export function isSame(one: Where | undefined, other: Where): boolean {
  return one?.id === other.id && one.path === other.path;
}
