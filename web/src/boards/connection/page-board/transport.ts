/**
 * The board in this page, which needs no installation and no cable. This browser stores its files, by the board's place
 * among those of the page: all tabs share them, and are notified of each other's changes.
 */

import type { BoardInput, OpenLink } from "flylead";
import type { Machine } from "../../../storage/settings.ts";
import { texts } from "../../../texts/board.ts";
import type { Transport } from "../transports.ts";
import { eraseFiles, hasFiles } from "./store.ts";

export function browserTransport(): Transport {
  let place: number | undefined;
  return {
    name: texts.inPage,
    get id() {
      return place === undefined ? "page" : `page:${place}`;
    },
    isInPage: true,
    open: async (hooks) => {
      place = hooks.number;
      return (await import("./open.ts")).open(hooks, place);
    },
  };
}

/** Link to a board in this page. */
export interface PageLink extends OpenLink {
  readonly machine: Machine;
  readonly machineFolders: ReadonlySet<string>;
  readonly isolated: boolean;
  /** Returns the board's files by their paths, without querying the board. */
  files(): ReadonlyMap<string, Uint8Array>;
  /** Changes an input of the drawn board, as a person does. */
  setInput(input: BoardInput): void;
}

/** Returns true if this browser stores files for this board of the page. */
export async function hasKeptFiles(number: number): Promise<boolean> {
  return hasFiles(number).catch(() => false);
}

/** Deletes the files that this browser stores for this board of the page. */
export async function eraseKeptFiles(number: number): Promise<void> {
  await eraseFiles(number);
}
