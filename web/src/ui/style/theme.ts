/** Light or dark theme: as in the system, or as the user chooses. */

import { watchMedia } from "../dom.ts";
import { watchSettings } from "../../storage/settings.ts";

/** Applies the settings to the page, now and at each change. */
export function followSettings(): void {
  watchSettings(({ theme, fontSize }) => {
    const { style } = document.documentElement;
    style.colorScheme = theme === "auto" ? "" : theme;
    style.setProperty("--code-size", `${fontSize}px`);
  });
}

/** Calls `listener` now and whenever the colors change, until `signal` is aborted. */
export function watchTheme(listener: () => void, signal?: AbortSignal): void {
  watchMedia("(prefers-color-scheme: dark)", listener, signal);
  watchSettings(listener, signal);
}
