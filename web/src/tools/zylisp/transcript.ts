/** Shows evaluations, their results, and the places of errors in them. */

import type { EvalResult, TraceEntry } from "flylead/zylisp";
import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/zylisp.ts";
import { endOfForm, offsetOf } from "./syntax.ts";

type Failed = Extract<EvalResult, { kind: "error" }>;

/** Program that was typed: its text, and the element that shows it. */
interface Asked {
  readonly text: string;
  readonly shown: HTMLElement;
}

export class Transcript {
  readonly #parent: HTMLElement;
  /** Programs by their names in traces. */
  readonly #asked = new Map<string, Asked>();
  #count = 0;

  constructor(parent: HTMLElement) {
    this.#parent = parent;
  }

  /** Shows a program; returns the name to evaluate it by, and the element for its output. */
  ask(text: string): { name: string; output: HTMLElement } {
    this.#parent.querySelector(".hint")?.remove();
    const name = `typed ${++this.#count}`;
    const shown = make("pre", text, "asked");
    const output = make("pre", "", "output");
    this.#asked.set(name, { text, shown });
    this.#add(shown, output);
    return { name, output };
  }

  /** Shows the result of the last program; `more` returns the next page of a value that was too long. */
  answer(result: EvalResult, more: () => Promise<EvalResult | undefined>): void {
    if (result.kind === "value") this.#value(result.text, result.more, more);
    else if (result.kind === "error") this.#failed(result);
    else this.#add(make("pre", texts.stopped, "failed"));
  }

  /** Removes the button for the next page, which is unavailable once another value has arrived. */
  forgetPages(): void {
    this.#parent.querySelector(".more")?.remove();
  }

  clear(): void {
    this.#asked.clear();
    this.#parent.replaceChildren();
  }

  scroll(): void {
    this.#parent.scrollTop = this.#parent.scrollHeight;
  }

  #value(text: string, hasMore: boolean, more: () => Promise<EvalResult | undefined>): void {
    const value = make("pre", text, "value");
    this.#add(value);
    if (!hasMore) return;
    const button = make("button", texts.more, "more");
    button.addEventListener("click", async () => {
      const page = await more();
      if (page?.kind === "value") value.append(page.text);
      if (page?.kind !== "value" || !page.more) button.remove();
    });
    this.#add(button);
  }

  /** Shows the error, its place marked in each program involved, and the calls that led there. */
  #failed(error: Failed): void {
    const outermost = [...error.trace].reverse();
    for (const entry of outermost) this.#mark(entry, error.message);
    const calls = make("ol", "", "trace");
    calls.append(...error.trace.map((entry) => this.#call(entry, error.message)));
    if (error.traceOmitted > 0) calls.append(make("li", texts.omitted({ calls: error.traceOmitted })));
    this.#add(make("pre", `${error.type}: ${error.message}`, "failed"), ...(error.trace.length > 0 ? [calls] : []));
  }

  #call(entry: TraceEntry, message: string): HTMLElement {
    const { function: name, file, line, column } = entry;
    const item = make("li");
    const place = texts.place({ line, column });
    if (file === undefined || !this.#asked.has(file)) {
      item.textContent = inFunction(name, file ? texts.inFile({ file, place }) : place);
      return item;
    }
    const button = make("button", inFunction(name, place), "link");
    button.addEventListener("click", () => this.#mark(entry, message)?.scrollIntoView({ block: "nearest" }));
    item.append(button);
    return item;
  }

  /** Marks the form at a place of a typed program, and removes earlier marks in it. */
  #mark({ file, line, column }: TraceEntry, message: string): HTMLElement | undefined {
    const asked = file === undefined ? undefined : this.#asked.get(file);
    const from = asked && offsetOf(asked.text, line, column);
    if (!asked || from === undefined) return undefined;
    const to = Math.max(endOfForm(asked.text, from), from + 1);
    const mark = make("mark", asked.text.slice(from, to));
    mark.title = message;
    asked.shown.replaceChildren(asked.text.slice(0, from), mark, asked.text.slice(to));
    return mark;
  }

  #add(...items: HTMLElement[]): void {
    this.#parent.append(...items);
    this.scroll();
  }
}

function inFunction(name: string | undefined, place: string): string {
  return name === undefined ? place : texts.inFunction({ name, place });
}
