/** What a link to this page brings besides: a program that somebody shared, or the name of a package. */

import { partsOf, takeParts } from "./address.ts";
import type { Boards } from "./boards.ts";
import type { Documents } from "./documents.ts";
import { texts as said } from "./texts/board.ts";
import { texts } from "./texts/program.ts";
import { showError } from "./toast.ts";

export interface LinksOptions {
  boards: Boards;
  documents: Documents;
  showProgram: () => Promise<unknown>;
  /** Shows a package, which is installed when the person says so. */
  openPackages: (name: string) => Promise<void>;
  /** Says it to a screen reader. */
  announce: (text: string) => void;
}

export interface Links {
  /** The board in front is ready: who waits for one is asked now. */
  ready(): void;
}

/** Takes what the address carries, and what it carries later. */
export function takeLinks({ boards, documents, showProgram, openPackages, announce }: LinksOptions): Links {
  /** The package of a link that waits for a board. */
  let awaited: string | undefined;
  addEventListener("hashchange", take);
  take();

  function take(): void {
    void takeProgram().catch(showError);
    const name = takeParts("install")?.get("install")?.trim();
    if (name && name.length <= LONGEST) offer(name);
  }

  /** Who opened a link with a program in it sees that, and runs it or not. */
  async function takeProgram(): Promise<void> {
    if (!partsOf(location).has("program")) return;
    const shared = await (await import("./share.ts")).takeShared();
    if (!shared) return;
    await showProgram();
    const open = documents.all.find(({ where, text }) => !where && text === shared.text);
    if (open) await documents.show(open);
    else await documents.begin(shared.text, shared.name ?? "shared.py");
    announce(texts.linkIsOpen);
  }

  /** Who opened a link to a package is asked, as soon as there is a board to put it on. */
  function offer(name: string): void {
    if (boards.current.session.state.kind === "ready") return void openPackages(name).catch(showError);
    showError(new Error(said.linkWantsPackage(name)));
    awaited = name;
  }

  function ready(): void {
    const name = awaited;
    awaited = undefined;
    if (name) void openPackages(name).catch(showError);
  }

  return { ready };
}

/** No address of a package is longer, in characters. */
const LONGEST = 500;
