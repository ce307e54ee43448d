/** What the shown document is written for, and beside. */

import type { Document, Documents } from "../documents.ts";
import type { Session } from "../session.ts";
import { isConnected } from "../state.ts";
import type { Surroundings } from "./completion.ts";

export function surroundingsOf({ all, current }: Documents, { platform, state }: Session): Surroundings {
  const others = all.filter((document) => document !== current && document.where?.path.endsWith(".py"));
  return { platform, isThere: isConnected(state), path: pathOf(current), others: others.map((document) => ({ path: pathOf(document), text: document.text })) };
}

/** A program is no file, and no module. */
function pathOf({ id, where }: Document): string {
  return where?.path ?? `/program ${id}.py`;
}
