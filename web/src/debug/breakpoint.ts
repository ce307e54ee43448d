/** A breakpoint as the page keeps it. */

import { askTexts } from "../dialog.ts";
import { texts as words } from "../texts/editor.ts";

export interface Breakpoint {
  /** From 1. */
  readonly line: number;
  /** Stop only where this expression is true. */
  readonly condition?: string;
  /** Stop only at certain times: `5`, `>=5`, `%5`. */
  readonly hits?: string;
  /** Do not stop, but say this; expressions in braces are evaluated. */
  readonly log?: string;
}

/** Details that make a breakpoint more than a line. */
export type BreakpointDetails = Omit<Breakpoint, "line">;

/** Earlier pages kept the line alone. */
export function readBreakpoint(value: unknown): Breakpoint | undefined {
  if (Number.isInteger(value)) return { line: value as number };
  const { line, ...details } = (value ?? {}) as Partial<Breakpoint>;
  if (!Number.isInteger(line)) return undefined;
  const texts = NAMES.map((name) => [name, details[name]] as const).filter(([, text]) => typeof text === "string");
  return { line: line!, ...Object.fromEntries(texts) };
}

export function isSpecial(details: BreakpointDetails): boolean {
  return NAMES.some((name) => details[name] !== undefined);
}

/** Returns true if they have the same lines and details. */
export function isSame(some: readonly Breakpoint[], others: readonly Breakpoint[]): boolean {
  return textOf(some) === textOf(others);
}

function textOf(breakpoints: readonly Breakpoint[]): string {
  return JSON.stringify(breakpoints.map((one) => [one.line, ...NAMES.map((name) => one[name])]));
}

/** Asks what a breakpoint is to wait for, or to say instead of stopping; `undefined` leaves it as it is. */
export async function askDetails({ line, ...details }: Breakpoint): Promise<BreakpointDetails | undefined> {
  const texts = await askTexts({
    title: words.breakpoint(line),
    fields: FIELDS.map(({ label, placeholder }, at) => ({ label, placeholder, value: details[NAMES[at]!] ?? "" })),
    action: words.set,
  });
  const given = texts?.map((text, at) => [NAMES[at], text] as const).filter(([, text]) => text !== "");
  return given && Object.fromEntries(given);
}

const NAMES = ["condition", "hits", "log"] as const;

const FIELDS = [
  { label: words.condition, placeholder: "value > 3" },
  { label: words.hits, placeholder: "5, >=5, %5" },
  { label: words.log, placeholder: words.logExample },
];
