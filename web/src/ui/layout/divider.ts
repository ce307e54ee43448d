/** The line between program and board, which can be moved with the pointer or the arrow keys. */

import { keep, recall } from "../../storage/storage.ts";

const NAME = "divider";
/** Percentages of the page for the program. */
const [LEAST, MIDDLE, MOST, STEP] = [25, 50, 75, 3];

export function makeDivider(divider: HTMLElement, panes: HTMLElement): void {
  const place = (share: number) => {
    const bounded = Math.round(Math.min(Math.max(share, LEAST), MOST));
    panes.style.setProperty("--program-share", `${bounded}%`);
    divider.ariaValueNow = String(bounded);
    keep(NAME, String(bounded));
  };
  divider.ariaValueMin = String(LEAST);
  divider.ariaValueMax = String(MOST);
  place(Number(recall(NAME)) || MIDDLE);
  divider.addEventListener("keydown", (event) => moveByKey(event, divider, place));
  divider.addEventListener("pointerdown", (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener("pointermove", (event) => {
    if (divider.hasPointerCapture(event.pointerId)) place(shareAt(event, panes));
  });
}

function moveByKey(event: KeyboardEvent, divider: HTMLElement, place: (share: number) => void): void {
  const now = Number(divider.ariaValueNow);
  const next = { ArrowLeft: now - STEP, ArrowUp: now - STEP, ArrowRight: now + STEP, ArrowDown: now + STEP, Home: LEAST, End: MOST }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  place(next);
}

/** Returns the pointer's position between the panes, in per cent: across on a wide page, down on a narrow one. */
function shareAt(event: PointerEvent, panes: HTMLElement): number {
  const box = panes.getBoundingClientRect();
  const isColumn = getComputedStyle(panes).gridAutoFlow.startsWith("row");
  return isColumn ? ((event.clientY - box.top) / box.height) * 100 : ((event.clientX - box.left) / box.width) * 100;
}
