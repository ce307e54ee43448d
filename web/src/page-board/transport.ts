/** The board in this page: nothing to install, nothing to plug in. This browser keeps its files. */

import type { OpenLink } from "flylead";
import { texts } from "../texts/board.ts";
import type { Hooks, Transport } from "../transports.ts";
import { type Slot, takeSlot, usualSlot } from "./slot.ts";
import { type Content, eraseFiles, FileKeeper, hasFiles, loadFiles } from "./store.ts";

export function browserTransport(): Transport {
  let slot: Slot | undefined;
  return {
    name: texts.inPage,
    get id() {
      return slot ? `page:${slot.number}` : "page";
    },
    isInPage: true,
    open: async (hooks) => open((slot = await takeSlot(hooks.number)), hooks),
  };
}

/** A link to a board in this page. */
export interface PageLink extends OpenLink {
  readonly machineFolders: ReadonlySet<string>;
  readonly isolated: boolean;
  /** The board's files by their paths, read without asking the board. */
  files(): ReadonlyMap<string, Uint8Array>;
}

async function open(slot: Slot, hooks: Hooks): Promise<PageLink> {
  try {
    return await openAt(slot, hooks);
  } catch (error) {
    slot.release();
    throw error;
  }
}

async function openAt(slot: Slot, { number, note, inputAwaited }: Hooks): Promise<PageLink> {
  const refuse = once((error: unknown) => note(`── ${texts.filesNotKept(error instanceof Error ? error.message : String(error))} ──`));
  const keeper = new FileKeeper(slot.number, refuse);
  const kept = await loadFiles(slot.number).catch((error): Record<string, Content> => (refuse(error), {}));
  const { openBrowserBoard } = await import("flylead");
  const link = await openBrowserBoard({ files: kept, onFiles: (changes) => keeper.keep(changes), onInputAwaited: inputAwaited });
  if (slot.number !== number) note(`── ${texts.anotherTab(slot.number, number)} ──`);
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
      await keeper.settled();
      slot.release();
    },
  };
}

/** Whether this browser keeps files for this board of the page. */
export async function hasKeptFiles(number: number): Promise<boolean> {
  return hasFiles(usualSlot(number)).catch(() => false);
}

/** Deletes the files that this browser keeps for this board of the page. */
export async function eraseKeptFiles(number: number): Promise<void> {
  const slot = await takeSlot(number);
  await eraseFiles(slot.number).finally(() => slot.release());
}

function once<T>(work: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) work(value);
    isDone = true;
  };
}
