/** Finds a text in all files of a place. */

import { everyFile, type Place } from "../../places/place.ts";

export interface Match {
  path: string;
  /** Line number, from 1. */
  line: number;
  /** Text of the line. */
  text: string;
}

export interface Findings {
  matches: Match[];
  /** True if the list is truncated. */
  isCut: boolean;
  /** Number of files that were not searched because they are too large, or not text. */
  skipped: number;
}

export interface Search {
  wanted: string;
  /** Returns the text in the editor, which is searched instead of the file. */
  textOf: (path: string) => string | undefined;
  /** Reports the file being searched. */
  report: (path: string) => void;
  signal: AbortSignal;
}

/** Finds a text in a place's files, ignoring case. */
export async function findIn(place: Place, { wanted, textOf, report, signal }: Search): Promise<Findings> {
  const findings: Findings = { matches: [], isCut: false, skipped: 0 };
  for (const { path, size } of await everyFile(place)) {
    signal.throwIfAborted();
    report(path);
    const text = textOf(path) ?? (size > LARGEST ? undefined : readable(await place.read(path, { signal })));
    if (text === undefined) findings.skipped += 1;
    else findings.matches.push(...matchesIn(path, text, wanted));
    if (findings.matches.length > MOST) {
      findings.matches.length = MOST;
      findings.isCut = true;
      break;
    }
  }
  return findings;
}

function matchesIn(path: string, text: string, wanted: string): Match[] {
  const lower = wanted.toLowerCase();
  return text.split(/\r?\n/).flatMap((line, at) => (line.toLowerCase().includes(lower) ? [{ path, line: at + 1, text: line.trim().slice(0, LONGEST) }] : []));
}

function readable(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** Size limit of searched files, in bytes: larger ones contain data, and would take long over a serial line. */
const LARGEST = 262_144;
const MOST = 200;
/** Number of characters of a line to show. */
const LONGEST = 200;
