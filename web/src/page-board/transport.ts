/**
 * The board in this page: nothing to install, nothing to plug in. This browser keeps its files, by the board's place among those of the
 * page: all tabs have the same ones, and each hears what another one has changed.
 */

import type { OpenLink } from "flylead";
import { texts } from "../texts/board.ts";
import type { Hooks, Transport } from "../transports.ts";
import { type Content, eraseFiles, FileKeeper, hasFiles, loadFiles } from "./store.ts";

export function browserTransport(): Transport {
  let place: number | undefined;
  return {
    name: texts.inPage,
    get id() {
      return place === undefined ? "page" : `page:${place}`;
    },
    isInPage: true,
    open: async (hooks) => open(hooks, (place = hooks.number)),
  };
}

/** A link to a board in this page. */
export interface PageLink extends OpenLink {
  readonly machineFolders: ReadonlySet<string>;
  readonly isolated: boolean;
  /** The board's files by their paths, read without asking the board. */
  files(): ReadonlyMap<string, Uint8Array>;
}

async function open({ note, inputAwaited }: Hooks, place: number): Promise<PageLink> {
  const refuse = once((error: unknown) => note(`── ${texts.filesNotKept(error instanceof Error ? error.message : String(error))} ──`));
  const keeper = new FileKeeper(place, refuse);
  const kept = await loadFiles(place).catch((error): Record<string, Content> => (refuse(error), {}));
  const { openBrowserBoard } = await import("flylead");
  const link = await openBrowserBoard({ files: kept, onFiles: (changes) => keeper.keep(changes), onInputAwaited: inputAwaited, onRestarted: () => note(`── ${texts.cutOff} ──`) });
  keeper.follow((changes) => link.takeFiles(changes));
  return {
    label: link.label,
    machineFolders: link.machineFolders,
    files: () => link.files(),
    get readable() {
      return link.readable;
    },
    get writable() {
      return link.writable;
    },
    get isolated() {
      return link.isolated;
    },
    async close() {
      await link.close();
      await keeper.close();
    },
  };
}

/** Whether this browser keeps files for this board of the page. */
export async function hasKeptFiles(number: number): Promise<boolean> {
  return hasFiles(number).catch(() => false);
}

/** Deletes the files that this browser keeps for this board of the page. */
export async function eraseKeptFiles(number: number): Promise<void> {
  await eraseFiles(number);
}

function once<T>(work: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) work(value);
    isDone = true;
  };
}
