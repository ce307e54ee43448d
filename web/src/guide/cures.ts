/** Finds the guide's cure for an error, and links to it. */

import { make } from "../dom.ts";
import { texts } from "../texts/common.ts";
import { showError } from "../toast.ts";

/** A button that opens the guide where it says what to do about a message; none, if it says nothing of it. */
export function cureFor(message: string): HTMLButtonElement[] {
  const heading = CURES.find(([pattern]) => pattern.test(message))?.[1];
  if (!heading) return [];
  const button = make("button", texts.whatToDo, "link cure");
  button.type = "button";
  button.style.marginInlineStart = "0.375rem";
  button.addEventListener("click", () => showGuide(`troubleshooting#${heading}`));
  return [button];
}

/** Puts the way to a cure into each of these as soon as it says something that has one. */
export function leadToCures(alerts: readonly HTMLElement[]): void {
  for (const alert of alerts) {
    const look = () => {
      const message = alert.querySelector(".summary, p") ?? alert;
      if (!alert.querySelector(".cure")) message.append(...cureFor((message.querySelector("strong") ?? message).textContent ?? ""));
    };
    new MutationObserver(look).observe(alert, { childList: true, subtree: true });
  }
}

/** Opens the guide, which comes when it is first wanted. */
export function showGuide(at?: string): void {
  import("./guide.ts").then(({ openGuide }) => openGuide(at), showError);
}

/** Returns the pattern of the page's own message, in its language. */
function sign(text: string): RegExp {
  return new RegExp(text);
}

/** The headings are those of docs/guide/troubleshooting.md. */
const CURES: readonly (readonly [RegExp, string])[] = [
  [/no module named/i, "no-module-named"],
  [/MemoryError|memory allocation failed/, "memory-is-full"],
  // 44 is what the board in the page calls it (Emscripten, system/lib/libc/musl/arch/emscripten/bits/errno.h).
  [/ENOENT|OSError: (?:2|44)$/, "no-such-file"],
  [/ENODEV|\bEIO\b|ETIMEDOUT|OSError: (?:5|19|110)$/, "the-board-does-not-answer-a-device"],
  [/port could not be opened/, "the-port-could-not-be-opened"],
  [/no board answered within/, "something-else-answers-or-nothing"],
  [/could not be reached/, "the-address-could-not-be-reached"],
  [/password|access denied/i, "the-password-is-wrong"],
  [sign(texts.signOfSilence), "nothing-has-answered"],
  [sign(texts.signOfNoRoom), "the-browser-has-no-room"],
];
