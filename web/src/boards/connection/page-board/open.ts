/** Opening of a board in this page, with the files that this browser keeps for it. */

import { openBrowserBoard } from "flylead";
import { settings } from "../../../storage/settings.ts";
import { texts } from "../../../texts/board.ts";
import { forgetPort } from "../../port-state.ts";
import type { Hooks } from "../transports.ts";
import { FileKeeper } from "./keeper.ts";
import { type Content, loadFiles } from "./store.ts";
import type { PageLink } from "./transport.ts";

/** Opens the board in this page that has this place among those of the page. */
export async function open({ note, inputAwaited, drawn }: Hooks, place: number): Promise<PageLink> {
  // A new interpreter owes no answers, and records nothing.
  forgetPort(`page:${place}`);
  const refuse = once((error: unknown) => note(`── ${whyNotKept(error)} ──`));
  const keeper = new FileKeeper(place, refuse);
  const kept = await loadFiles(place).catch((error): Record<string, Content> => (refuse(error), {}));
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
  return texts.filesNotKept({ why });
}

function once<T>(work: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) work(value);
    isDone = true;
  };
}
