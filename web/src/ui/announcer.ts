/** Announcements for a screen reader. */

import { element } from "./dom.ts";

export function announce(text: string): void {
  element("announcer").textContent = text;
}
