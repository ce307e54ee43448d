/** What a screen reader is told without being asked. */

import { element } from "./dom.ts";

export function announce(text: string): void {
  element("announcer").textContent = text;
}
