/** The open documents above the editor, and the notice when a file has changed under one of them. */

import { askWhether } from "../../ui/dialog.ts";
import { type Document, isSame, isUnsaved, titleOf } from "./document.ts";
import type { Conflict, Documents } from "./documents.ts";
import { nameWith } from "../../boards/connection/identity.ts";
import { element, make } from "../../ui/dom.ts";
import { texts } from "../../texts/program.ts";
import "./tabs.css";

/** Draws a tab for each open document. */
export function drawTabs(documents: Documents): void {
  const bar = element("tabs");
  bar.hidden = false;
  bar.replaceChildren(...documents.all.map((document) => tab(documents, document)));
  // All tabs are redrawn, scrolled to the first one.
  bar.querySelector("[aria-current]")?.closest(".tab")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  const isFile = documents.current.where !== undefined;
  element("save").querySelector(".label")!.textContent = isFile ? texts.save : texts.saveAs;
  element("save").ariaDisabled = String(isFile && !isUnsaved(documents.current));
}

function tab(documents: Documents, document: Document): HTMLElement {
  const item = make("div", "", "tab");
  const name = make("button", titleOf(document, documents.all), "quiet");
  if (document.where) name.title = texts.on({ path: document.where.path, place: nameWith(document.where.place, document.where.id) });
  if (document === documents.current) name.setAttribute("aria-current", "true");
  if (isUnsaved(document)) name.append(make("span", ` ${texts.unsaved}`, "unsaved"));
  name.addEventListener("click", () => void documents.show(document));
  item.append(name);
  item.append(closeButton(documents, document));
  return item;
}

function closeButton(documents: Documents, document: Document): HTMLElement {
  const button = make("button", "×", "quiet close");
  button.ariaLabel = texts.close({ name: titleOf(document, documents.all) });
  button.addEventListener("click", () => void close(documents, document));
  return button;
}

async function close(documents: Documents, document: Document): Promise<void> {
  const name = titleOf(document, documents.all);
  const hasWork = isUnsaved(document) || (!document.where && document.text.trim() !== "");
  const sure = !hasWork || (await askWhether(texts.closeAsked({ name }), texts.closeExplained, texts.closeAction));
  if (sure) await documents.close(document);
}

/** Reports that the file has changed, with the ways to resolve it. */
export function showConflict(documents: Documents, conflict: Conflict | undefined, showError: (error: unknown) => void): void {
  const bar = element("conflict");
  bar.hidden = conflict === undefined;
  bar.replaceChildren();
  if (!conflict) return;
  const { document, place, where, theirs } = conflict;
  const { path } = where;
  const isOnBoard = place.kind === "board";
  const isOpen = document.base !== undefined && isSame(document.where, where);
  const news = isOpen ? (isOnBoard ? texts.changedOnBoard : texts.changedOnComputer) : isOnBoard ? texts.isOnBoard : texts.isOnComputer;
  const text = make("p");
  text.append(make("strong", news({ path })), ` ${texts.notOverwritten}`);
  const choices = make("div", "", "choices");
  choices.append(
    choice(texts.compare, async () => (await import("../diff.ts")).openDiff(texts.thereAndHere({ name: titleOf(document, documents.all) }), theirs, document.text)),
    choice(texts.replaceWithMine, () => documents.write(document, place, where)),
    choice(isOnBoard ? texts.takeBoards : texts.takeFiles, () => documents.take(document, theirs, where)),
  );
  bar.append(text, choices);

  function choice(label: string, work: () => Promise<void>): HTMLElement {
    const button = make("button", label);
    button.addEventListener("click", () => void work().catch(showError));
    return button;
  }
}
