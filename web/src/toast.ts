/** What went wrong, said where nobody overlooks it, until it is dismissed or long past. */

import { element, make } from "./dom.ts";
import { sentence } from "./sentence.ts";
import { texts } from "./texts/common.ts";
import "./toast.css";

let timer: number | undefined;

export function showError(error: unknown): void {
  const place = element("toast");
  const close = make("button", "×", "dismiss quiet");
  close.ariaLabel = texts.dismiss;
  close.addEventListener("click", hide);
  place.replaceChildren(make("p", sentence(error)), close);
  place.hidden = false;
  clearTimeout(timer);
  timer = window.setTimeout(hide, SHOWN_MS);
}

function hide(): void {
  element("toast").hidden = true;
}

/** Long enough to be read twice. */
const SHOWN_MS = 20_000;
