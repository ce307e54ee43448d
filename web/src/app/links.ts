/** Opens a shared program, or a package by name, from a link to this page. */

import { partsOf, takeParts } from "../ui/address.ts";
import type { Boards } from "../boards/boards.ts";
import type { Documents } from "../editor/documents/documents.ts";
import { texts as said } from "../texts/board.ts";
import { texts } from "../texts/program.ts";
import { showError } from "../ui/toast.ts";
import { MORE, type ToolName } from "../ui/layout/tools.ts";

export interface LinksOptions {
  boards: Boards;
  documents: Documents;
  showProgram: () => Promise<unknown>;
  /** Shows a tool with an address of its own. */
  showTool: (name: ToolName) => Promise<unknown>;
  /** Shows a package, which is installed if the user confirms. */
  openPackages: (name: string) => Promise<void>;
  /** Announces a text to screen readers. */
  announce: (text: string) => void;
}

export interface Links {
  /** Handles a board in front that has become ready: a waiting package is offered now. */
  ready(): void;
}

/** Handles the current content of the address, and later changes. */
export function takeLinks({ boards, documents, showProgram, showTool, openPackages, announce }: LinksOptions): Links {
  /** Package of a link, waiting for a board. */
  let awaited: string | undefined;
  addEventListener("hashchange", take);
  take();

  function take(): void {
    void takeProgram().catch(showError);
    for (const tool of MORE) if (takeParts(tool)) void showTool(tool).catch(showError);
    const name = takeParts("install")?.get("install")?.trim();
    if (name && name.length <= LONGEST) offer(name);
  }

  /** Shows the program of an opened link; running it is up to the user. */
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

  /** Offers the package of an opened link, as soon as a board is available. */
  function offer(name: string): void {
    if (boards.current.session.state.kind === "ready") return void openPackages(name).catch(showError);
    showError(new Error(said.linkWantsPackage({ name })));
    awaited = name;
  }

  function ready(): void {
    const name = awaited;
    awaited = undefined;
    if (name) void openPackages(name).catch(showError);
  }

  return { ready };
}

/** Length limit of a package's address, in characters. */
const LONGEST = 500;
