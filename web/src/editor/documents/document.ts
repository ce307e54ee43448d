/** A text in the editor: a program, which needs no file, or an open file. */

import type { Breakpoint } from "../breakpoints/breakpoint.ts";
import { nameOf, type Place } from "../../places/place.ts";
import { texts } from "../../texts/program.ts";

/** File of a place. */
export interface Where {
  kind: Place["kind"];
  /** Name of the place. */
  place: string;
  /** Id of the place. */
  id: string;
  path: string;
}

export interface Document {
  readonly id: string;
  /** Time of opening, in milliseconds since 1970, which gives their order. */
  readonly opened: number;
  /** Place of the file; `undefined` for a program. */
  where?: Where;
  /** Name of a program that was opened or saved as a local file. */
  name?: string;
  text: string;
  /** Content of the file when it was last read or written here. */
  base?: string;
  breakpoints?: readonly Breakpoint[];
}

/**
 * Returns true if it has changes that its file lacks. A program without a file is stored in the browser, which
 * suffices.
 */
export function isUnsaved({ where, text, base }: Document): boolean {
  return where !== undefined && text !== base;
}

/** Returns the title of a document. */
export function titleOf(document: Document, all: readonly Document[]): string {
  if (document.where) return nameOf(document.where.path);
  if (document.name !== undefined) return document.name;
  const place = all.filter(({ where, name }) => !where && name === undefined).indexOf(document);
  return place > 0 ? texts.numbered({ number: place + 1 }) : texts.program;
}

export function isSame(one: Where | undefined, other: Where): boolean {
  return one?.id === other.id && one.path === other.path;
}
