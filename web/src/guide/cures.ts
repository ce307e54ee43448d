/** Finds the guide's cure for an error, and links to it. */

import { make } from "../ui/dom.ts";
import { texts } from "../texts/common.ts";
import { showError } from "../ui/toast.ts";

/** Creates a button that opens the guide at the remedy for a message; none if the guide has no remedy for it. */
export function cureFor(message: string): HTMLButtonElement[] {
  const heading = CURES.find(([pattern]) => pattern.test(message))?.[1];
  if (!heading) return [];
  const button = make("button", texts.whatToDo, "link cure");
  button.type = "button";
  button.style.marginInlineStart = "0.375rem";
  button.addEventListener("click", () => showGuide(`troubleshooting#${heading}`));
  return [button];
}

/** Adds a link to the remedy to each of these as soon as it shows a message that has one. */
export function leadToCures(alerts: readonly HTMLElement[]): void {
  for (const alert of alerts) {
    const look = () => {
      const message = alert.querySelector(".summary, p") ?? alert;
      if (!alert.querySelector(".cure")) message.append(...cureFor((message.querySelector("strong") ?? message).textContent ?? ""));
    };
    new MutationObserver(look).observe(alert, { childList: true, subtree: true });
  }
}

/** Opens the guide, which is loaded when it is first needed. */
export function showGuide(at?: string): void {
  import("./guide.ts").then(({ openGuide }) => openGuide(at), showError);
}

/** Returns a pattern for one of the page's own messages, in its language. */
function sign(text: string): RegExp {
  return new RegExp(text);
}

/** Patterns with the headings of docs/guide/troubleshooting.md. */
const CURES: readonly (readonly [RegExp, string])[] = [
  [/no module named/i, "no-module-named"],
  [/MemoryError|memory allocation failed/, "memory-is-full"],
  // 44 is its number in the board in the page (Emscripten, system/lib/libc/musl/arch/emscripten/bits/errno.h).
  [/ENOENT|OSError: (?:2|44)$/, "no-such-file"],
  [/ENODEV|\bEIO\b|ETIMEDOUT|OSError: (?:5|19|110)$/, "the-board-does-not-answer-a-device"],
  [/port could not be opened/, "the-port-could-not-be-opened"],
  [/no board answered within/, "something-else-answers-or-nothing"],
  [/could not be reached/, "the-address-could-not-be-reached"],
  [/password|access denied/i, "the-password-is-wrong"],
  [sign(texts.signOfSilence), "nothing-has-answered"],
  [sign(texts.signOfNoRoom), "the-browser-has-no-room"],
];
