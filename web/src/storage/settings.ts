/** Settings of the page, chosen by the user. They are stored in this browser, and shared by all tabs. */

import { keep, recallJson, watch } from "./storage.ts";

export interface Settings {
  /** True if Run first resets the board softly, which removes the traces of earlier runs. */
  readonly resetOnRun: boolean;
  readonly theme: "auto" | "light" | "dark";
  /** Font size of code and of the terminal, in CSS pixels. */
  readonly fontSize: number;
  /** Number of blanks per level of indentation. */
  readonly indent: number;
  /** Language of the page, or the browser's for `auto`; a change takes effect when the page is reloaded. */
  readonly language: "auto" | "en" | "de" | "es";
  /** True to check and complete programs while they are written. */
  readonly help: boolean;
  /** Machine that the board in the page imitates. */
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

/** Changes some settings; returns true if this browser stores them. */
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

/** Returns the stored settings, as far as they are valid. */
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
