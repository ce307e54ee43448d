/** The open documents above the editor, and what is said when a file has changed under one of them. */

import { askWhether } from "./dialog.ts";
import { type Conflict, type Document, type Documents, isSame, isUnsaved, titleOf } from "./documents.ts";
import { nameWith } from "./identity.ts";
import { element, make } from "./dom.ts";
import "./tabs.css";

/** Draws a name for each open document; one alone needs none. */
export function drawTabs(documents: Documents): void {
  const bar = element("tabs");
  bar.hidden = documents.all.length < 2;
  bar.replaceChildren(...documents.all.map((document) => tab(documents, document)));
  const isFile = documents.current.where !== undefined;
  element("save").querySelector(".label")!.textContent = isFile ? "Save" : "Save…";
  element("save").ariaDisabled = String(isFile && !isUnsaved(documents.current));
}

function tab(documents: Documents, document: Document): HTMLElement {
  const item = make("div", "", "tab");
  const name = make("button", titleOf(document, documents.all), "quiet");
  if (document.where) name.title = `${document.where.path} on ${nameWith(document.where.place, document.where.id)}`;
  if (document === documents.current) name.setAttribute("aria-current", "true");
  if (isUnsaved(document)) name.append(make("span", " (unsaved)", "unsaved"));
  name.addEventListener("click", () => void documents.show(document));
  item.append(name);
  item.append(closeButton(documents, document));
  return item;
}

function closeButton(documents: Documents, document: Document): HTMLElement {
  const button = make("button", "×", "quiet close");
  button.ariaLabel = `Close ${titleOf(document, documents.all)}`;
  button.addEventListener("click", () => void close(documents, document));
  return button;
}

async function close(documents: Documents, document: Document): Promise<void> {
  const name = titleOf(document, documents.all);
  const hasWork = isUnsaved(document) || (!document.where && document.text.trim() !== "");
  const sure = !hasWork || (await askWhether(`Close ${name}?`, "What you have changed in it is not saved, and will be lost.", "Close without saving"));
  if (sure) await documents.close(document);
}

/** Says that the file is another one now, with the ways out of it. */
export function showConflict(documents: Documents, conflict: Conflict | undefined, showError: (error: unknown) => void): void {
  const bar = element("conflict");
  bar.hidden = conflict === undefined;
  bar.replaceChildren();
  if (!conflict) return;
  const { document, place, where, theirs } = conflict;
  const { path } = where;
  const there = place.kind === "board" ? "the board" : "this computer";
  const isOpen = document.base !== undefined && isSame(document.where, where);
  const news = isOpen ? `${path} on ${there} has changed since you opened it.` : `${path} is on ${there} already.`;
  const text = make("p");
  text.append(make("strong", news), ` Nothing was overwritten.`);
  const choices = make("div", "", "choices");
  choices.append(
    choice("Compare", async () => (await import("./diff.ts")).openDiff(`${titleOf(document, documents.all)}: there, and here`, theirs, document.text)),
    choice("Replace it with mine", () => documents.write(document, place, where)),
    choice(place.kind === "board" ? "Take the board's" : "Take the file's", () => documents.take(document, theirs, where)),
  );
  bar.append(text, choices);

  function choice(label: string, work: () => Promise<void>): HTMLElement {
    const button = make("button", label);
    button.addEventListener("click", () => void work().catch(showError));
    return button;
  }
}
