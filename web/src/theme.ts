/** Light or dark: as the system has it, or as the person wants it. */

import { watchMedia } from "./dom.ts";
import { watchSettings } from "./settings.ts";

/** The page follows the settings. */
export function followSettings(): void {
  watchSettings(({ theme, fontSize }) => {
    const { style } = document.documentElement;
    style.colorScheme = theme === "auto" ? "" : theme;
    style.setProperty("--code-size", `${fontSize}px`);
  });
}

/** Calls `listener` now and whenever the colors are other ones, until `signal` is aborted. */
export function watchTheme(listener: () => void, signal?: AbortSignal): void {
  watchMedia("(prefers-color-scheme: dark)", listener, signal);
  watchSettings(listener, signal);
}
