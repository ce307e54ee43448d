/** The last printed rows of numbers, by their names. */

import type { ChartData } from "../../ui/chart/chart.ts";
import { texts } from "../../texts/plot.ts";

export class Columns {
  rows = 0;
  /** Number of dropped rows before the remaining ones. */
  #dropped = 0;
  #values = new Map<string, Float64Array>();

  add(row: Map<string, number>): void {
    if (this.rows === KEPT) this.#drop(KEPT / 2);
    for (const name of row.keys()) if (!this.#values.has(name) && this.#values.size < MOST_COLUMNS) this.#values.set(name, new Float64Array(KEPT).fill(NaN));
    for (const [name, values] of this.#values) values[this.rows] = row.get(name) ?? NaN;
    this.rows += 1;
  }

  /** Returns the last `count` rows, or all. */
  data(count = Infinity): ChartData {
    const from = Math.max(this.rows - count, 0);
    const x = Float64Array.from({ length: this.rows - from }, (_, at) => this.#dropped + from + at);
    return { xName: texts.line, x, names: [...this.#values.keys()], y: [...this.#values.values()].map((values) => values.subarray(from, this.rows)) };
  }

  /** Returns a table with a heading (RFC 4180). */
  csv(): string {
    const { x, names, y } = this.data();
    const lines = [["line", ...names.map(quoted)].join(",")];
    for (let row = 0; row < x.length; row++) lines.push([x[row], ...y.map((values) => (Number.isNaN(values[row]) ? "" : values[row]))].join(","));
    return `${lines.join("\r\n")}\r\n`;
  }

  #drop(count: number): void {
    for (const values of this.#values.values()) values.copyWithin(0, count).fill(NaN, this.rows - count);
    this.rows -= count;
    this.#dropped += count;
  }
}

function quoted(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** Limit of rows; beyond it, the older half is dropped. */
const KEPT = 100_000;
const MOST_COLUMNS = 12;
