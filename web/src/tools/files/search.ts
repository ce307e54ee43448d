/** Search through all files, in the files panel: a field, and the matching lines. */

import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/files.ts";
import { counted } from "../../texts/index.ts";
import { type Findings, findIn, type Match } from "./find.ts";
import type { Place } from "../../places/place.ts";

export interface SearchOptions {
  /** Returns the places to search. */
  places: () => Place[];
  /** Returns the text of a file in the editor, if it is open there. */
  textOf: (place: Place) => Promise<(path: string) => string | undefined>;
  goTo: (place: Place, path: string, line: number) => Promise<void>;
  attempt: (work: () => Promise<void>) => Promise<void>;
}

export class SearchBox {
  readonly element = make("section", "", "search");
  readonly #options: SearchOptions;
  readonly #field = make("input");
  readonly #said = make("p", "", "hint");
  readonly #list = make("ul");
  #under: AbortController | undefined;

  /** Aborts the search with `signal`. */
  constructor(options: SearchOptions, signal: AbortSignal) {
    signal.addEventListener("abort", () => this.#under?.abort());
    this.#options = options;
    this.element.hidden = true;
    this.element.ariaLabel = texts.find;
    const form = make("form");
    const label = make("label", texts.find);
    Object.assign(this.#field, { type: "search", required: true, spellcheck: false, autocomplete: "off" });
    label.append(this.#field);
    form.append(label);
    form.addEventListener("submit", (event) => (event.preventDefault(), void options.attempt(() => this.#search())));
    this.#field.addEventListener("keydown", ({ key }) => key === "Escape" && this.toggle());
    this.#said.role = "status";
    this.element.append(form, this.#said, this.#list);
  }

  /** Opens the search and focuses its field, or closes it. */
  toggle(open = this.element.hidden === true): void {
    this.element.hidden = !open;
    if (open) this.#field.select();
    else this.#under?.abort();
  }

  async #search(): Promise<void> {
    this.#under?.abort();
    const under = (this.#under = new AbortController());
    const places = this.#options.places();
    if (places.length === 0) throw new Error(texts.nowhere);
    this.#list.replaceChildren();
    try {
      const all: Findings[] = [];
      for (const place of places) {
        const textOf = await this.#options.textOf(place);
        const report = (path: string) => (this.#said.textContent = texts.looking({ path }));
        const findings = await findIn(place, { wanted: this.#field.value, textOf, report, signal: under.signal });
        this.#list.append(...findings.matches.map((match) => this.#item(place, match)));
        all.push(findings);
      }
      this.#said.textContent = sumOf(all);
    } catch (error) {
      this.#said.textContent = "";
      if (!under.signal.aborted) throw error;
    }
  }

  #item(place: Place, { path, line, text }: Match): HTMLElement {
    const item = make("li");
    const button = make("button", "", "quiet");
    button.append(make("span", `${path}:${line}`, "where"), make("code", text));
    button.addEventListener("click", () => void this.#options.attempt(() => this.#options.goTo(place, path, line)));
    item.append(button);
    return item;
  }
}

function sumOf(all: Findings[]): string {
  const count = all.reduce((sum, { matches }) => sum + matches.length, 0);
  const skipped = all.reduce((sum, one) => sum + one.skipped, 0);
  const found = count === 0 ? texts.nothing : counted(texts.lines, count);
  const cut = all.some(({ isCut }) => isCut) ? texts.andMoreLines : "";
  const left = skipped === 0 ? "" : `; ${counted(texts.leftOut, skipped)}`;
  return `${found}${cut}${left}.`;
}
