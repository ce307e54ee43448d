/** Expression that is followed part by part: the line as it has become, and how each part got its value. */

import type { DebugPart } from "flylead/debug";
import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/debug.ts";

export class PartList {
  readonly #parent: HTMLElement;
  readonly #steps = make("ol");
  readonly #statement = make("pre");

  constructor(parent: HTMLElement) {
    this.#parent = parent;
    parent.append(this.#statement, this.#steps);
  }

  /** Shows the line with the newest value marked; without a part, what is shown is over. */
  show(part: DebugPart | undefined): void {
    if (!part) return this.clear();
    const { statement, at, length, becoming, value } = part;
    const end = at + length;
    // Text by text: what the program holds is never taken for markup.
    this.#statement.replaceChildren(statement.slice(0, at), ...(length > 0 ? [make("mark", statement.slice(at, end))] : []), statement.slice(end));
    this.#steps.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const step = make("li", texts.partIs({ part: becoming, value }));
    step.setAttribute("aria-current", "step");
    this.#steps.append(step);
    while (this.#steps.childElementCount > MOST_STEPS) this.#steps.firstElementChild?.remove();
    this.#parent.hidden = false;
    this.#parent.scrollTop = this.#parent.scrollHeight;
  }

  clear(): void {
    this.#parent.hidden = true;
    this.#statement.replaceChildren();
    this.#steps.replaceChildren();
  }
}

/** Limit of steps that are listed: a line may have many, in a function that it calls again and again. */
const MOST_STEPS = 50;
