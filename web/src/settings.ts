/**
 * Settings that the person chooses for the page. They are kept in this browser, and shared by all
 * tabs.
 */

import { keep, recallJson, watch } from "./storage.ts";

export interface Settings {
  /** Run resets the board softly first, so that nothing of an earlier run is left. */
  readonly resetOnRun: boolean;
  readonly theme: "auto" | "light" | "dark";
  /** Of code and of the terminal, in CSS pixels. */
  readonly fontSize: number;
  /** Blanks for each level of indentation. */
  readonly indent: number;
  /** The page's, or the browser's for `auto`; another one is spoken when the page is loaded again. */
  readonly language: "auto" | "en" | "de" | "es";
  /** Programs are checked and completed while they are written. */
  readonly help: boolean;
  /** Machine that the board in the page is like. */
  readonly machine: Machine;
}

export type Machine = "pico" | "esp32";

export const FONT_SIZES = { least: 10, most: 32 };
export const INDENTS = [2, 4, 8] as const;

let current = read();
const listeners = new Set<(now: Settings) => void>();
watch("settings", () => take(read()));

export function settings(): Settings {
  return current;
}

/** Changes some of them; says whether this browser keeps that. */
export function change(some: Partial<Settings>): boolean {
  const isKept = keep("settings", JSON.stringify({ ...current, ...some }));
  take({ ...current, ...some });
  return isKept;
}

/** Calls `listener` now and at each change, until `signal` is aborted. */
export function watchSettings(listener: (now: Settings) => void, signal?: AbortSignal): void {
  listeners.add(listener);
  signal?.addEventListener("abort", () => listeners.delete(listener));
  listener(current);
}

function take(now: Settings): void {
  current = now;
  for (const listener of listeners) listener(now);
}

/** Returns the kept settings, as far as they are valid. */
function read(): Settings {
  const { resetOnRun, theme, fontSize, indent, language, help, machine } = recallJson("settings", isRecord) ?? {};
  return {
    resetOnRun: resetOnRun !== false,
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    fontSize: typeof fontSize === "number" && fontSize >= FONT_SIZES.least && fontSize <= FONT_SIZES.most ? fontSize : 14,
    indent: INDENTS.find((one) => one === indent) ?? 4,
    language: language === "en" || language === "de" || language === "es" ? language : "auto",
    help: help !== false,
    machine: machine === "esp32" ? machine : "pico",
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
