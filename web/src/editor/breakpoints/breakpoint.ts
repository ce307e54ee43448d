/** Breakpoint as the page stores it. */

import { askTexts } from "../../ui/dialog.ts";
import { texts as words } from "../../texts/editor.ts";

export interface Breakpoint {
  /** Line, from 1. */
  readonly line: number;
  /** Stops only if this expression is true. */
  readonly condition?: string;
  /** Stops only at certain hits: `5`, `>=5`, `%5`. */
  readonly hits?: string;
  /** Logs this message instead of stopping; expressions in braces are evaluated. */
  readonly log?: string;
}

/** Details that make a breakpoint more than a line. */
export type BreakpointDetails = Omit<Breakpoint, "line">;

/** Reads a stored breakpoint. Earlier pages stored only the line. */
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

/** Asks for a breakpoint's condition, or its message; `undefined` if the user cancels. */
export async function askDetails({ line, ...details }: Breakpoint): Promise<BreakpointDetails | undefined> {
  const texts = await askTexts({
    title: words.breakpoint({ line }),
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
  { label: words.log, placeholder: words.logExample({ expression: "{value}" }) },
];
