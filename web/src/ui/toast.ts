/** Shows an error prominently, until it is dismissed or expires. */

import { element, make } from "./dom.ts";
import { sentence } from "./sentence.ts";
import { texts } from "../texts/common.ts";
import "./toast.css";

let timer: number | undefined;

export function showError(error: unknown): void {
  if (isGone(error)) return offerReload();
  const place = element("toast");
  const close = make("button", "×", "dismiss quiet");
  close.ariaLabel = texts.dismiss;
  close.addEventListener("click", hide);
  place.replaceChildren(make("p", sentence(error)), close);
  place.hidden = false;
  clearTimeout(timer);
  timer = window.setTimeout(hide, SHOWN_MS);
}

/** Offers a newer version of the page, until the user accepts or postpones it. */
export function offerUpdate(text: string, update: () => void): void {
  document.querySelector(".update")?.remove();
  const place = make("div", "", "toast update");
  place.role = "status";
  const take = make("button", texts.reload, "primary");
  take.addEventListener("click", update);
  const later = make("button", "×", "dismiss quiet");
  later.ariaLabel = texts.dismiss;
  later.addEventListener("click", () => place.remove());
  place.append(make("p", text), take, later);
  document.body.append(place);
}

/** Returns true if this browser reports such an error when a part of the page could not be loaded. */
export function isGone(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|module script failed/i.test(error.message);
}

/** Offers to reload when the server has a new version, and this page has requested a part of the old one. */
export function offerReload(): void {
  offerUpdate(texts.partsGone, () => location.reload());
}

function hide(): void {
  element("toast").hidden = true;
}

/** Display time, long enough to read the text twice. */
const SHOWN_MS = 20_000;
