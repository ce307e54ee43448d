/** Determines the surroundings for which the shown document is written. */

import type { Board } from "../../boards/boards.ts";
import type { Document } from "./document.ts";
import type { Documents } from "./documents.ts";
import { importsOf } from "../../boards/modules.ts";
import { isConnected } from "../../boards/connection/state.ts";
import type { Surroundings } from "../writing/help.ts";

export function surroundingsOf({ all, current }: Documents, { session, place }: Board): Surroundings {
  const learned = session.learnNames(importsOf(all.map(({ text }) => text)));
  const { platform, state, names } = session;
  const others = all.filter((document) => document !== current && document.where?.path.endsWith(".py"));
  const open = others.map((document) => ({ path: pathOf(document), text: document.text }));
  const isOpen = new Set([pathOf(current), ...open.map(({ path }) => path)]);
  const isThere = isConnected(state);
  const closed = isThere ? place.modules.beside(all.map(({ text }) => text)).filter(({ path }) => !isOpen.has(path)) : [];
  return { platform, isThere, names, learned, path: pathOf(current), others: [...open, ...closed] };
}

/** A program is no file, and no module. */
function pathOf({ id, where }: Document): string {
  return where?.path ?? `/program ${id}.py`;
}
