/** History of the input, stored in this browser, and a position in it. */

import { keep, recallJson } from "../../storage/storage.ts";

export class History {
  readonly #name: string;
  readonly #lines: string[];
  #at: number;
  /** Text being typed when browsing the history began. */
  #draft = "";

  constructor(name: string) {
    this.#name = name;
    this.#lines = recallJson(name, isLines) ?? [];
    this.#at = this.#lines.length;
  }

  add(line: string): void {
    if (this.#lines.at(-1) !== line) this.#lines.push(line);
    this.#lines.splice(0, this.#lines.length - LIMIT);
    this.#at = this.#lines.length;
    keep(this.#name, JSON.stringify(this.#lines));
  }

  /** Returns the line before or after the displayed one; `undefined` if there is none. */
  step(by: -1 | 1, shown: string): string | undefined {
    const next = this.#at + by;
    if (next < 0 || next > this.#lines.length) return undefined;
    if (this.#at === this.#lines.length) this.#draft = shown;
    this.#at = next;
    return this.#lines[next] ?? this.#draft;
  }
}

function isLines(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((line) => typeof line === "string");
}

const LIMIT = 500;
