/**
 * The board in this page, which needs no installation and no cable. This browser stores its files, by the board's place
 * among those of the page: all tabs share them, and are notified of each other's changes.
 */

import type { BoardInput, OpenLink } from "flylead";
import { type Machine, settings } from "../../../storage/settings.ts";
import { texts } from "../../../texts/board.ts";
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

async function open({ note, inputAwaited, drawn }: Hooks, place: number): Promise<PageLink> {
  const refuse = once((error: unknown) => note(`── ${whyNotKept(error)} ──`));
  const keeper = new FileKeeper(place, refuse);
  const kept = await loadFiles(place).catch((error): Record<string, Content> => (refuse(error), {}));
  const { openBrowserBoard } = await import("flylead");
  const { machine } = settings();
  const link = await openBrowserBoard({ machine, files: kept, onPins: drawn, onFiles: (changes) => keeper.keep(changes), onInputAwaited: inputAwaited, onRestarted: () => note(`── ${texts.cutOff} ──`) });
  keeper.follow((changes) => link.takeFiles(changes));
  return {
    machine,
    label: link.label,
    machineFolders: link.machineFolders,
    files: () => link.files(),
    setInput: (input) => link.setInput(input),
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

/** Explains a failure to store files. Browsers report nothing but the error's name when their storage is full. */
function whyNotKept(error: unknown): string {
  if (error instanceof DOMException && error.name === "QuotaExceededError") return texts.filesDoNotFit;
  const why = error instanceof Error ? error.message || error.name : String(error);
  return texts.filesNotKept(why);
}

/** Returns true if this browser stores files for this board of the page. */
export async function hasKeptFiles(number: number): Promise<boolean> {
  return hasFiles(number).catch(() => false);
}

/** Deletes the files that this browser stores for this board of the page. */
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
