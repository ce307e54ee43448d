/** What the shown document is written for, and beside. */

import type { Document, Documents } from "../documents.ts";
import type { Surroundings } from "./completion.ts";

export function surroundingsOf({ all, current }: Documents, platform: string): Surroundings {
  const others = all.filter((document) => document !== current && document.where?.path.endsWith(".py"));
  return { platform, path: pathOf(current), others: others.map((document) => ({ path: pathOf(document), text: document.text })) };
}

/** A program is no file, and no module. */
function pathOf({ id, where }: Document): string {
  return where?.path ?? `/program ${id}.py`;
}
