/** Takes a program that somebody shared, or the name of a package, from a link to this page. */

import { partsOf, takeParts } from "./address.ts";
import type { Boards } from "./boards.ts";
import type { Documents } from "./documents.ts";
import { texts as said } from "./texts/board.ts";
import { texts } from "./texts/program.ts";
import { showError } from "./toast.ts";
import { MORE, type ToolName } from "./tools.ts";

export interface LinksOptions {
  boards: Boards;
  documents: Documents;
  showProgram: () => Promise<unknown>;
  /** Shows a tool that has an address of its own. */
  showTool: (name: ToolName) => Promise<unknown>;
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
export function takeLinks({ boards, documents, showProgram, showTool, openPackages, announce }: LinksOptions): Links {
  /** The package of a link that waits for a board. */
  let awaited: string | undefined;
  addEventListener("hashchange", take);
  take();

  function take(): void {
    void takeProgram().catch(showError);
    for (const tool of MORE) if (takeParts(tool)) void showTool(tool).catch(showError);
    const name = takeParts("install")?.get("install")?.trim();
    if (name && name.length <= LONGEST) offer(name);
  }

  /** Shows the program of an opened link, which the person runs or not. */
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

  /** Offers the package of an opened link, as soon as there is a board to install it on. */
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
