/** Draws the numbers that a program prints, while it prints them. */

import { Chart, type ChartData } from "../chart/chart.ts";
import { Lines, numbersIn } from "./numbers.ts";

export interface Plotter {
  /** What the board has printed. */
  feed(data: Uint8Array | string): void;
  /** Begins anew. */
  clear(): void;
}

export function openPlotter(parent: HTMLElement): Plotter {
  const chart = new Chart(parent, "Chart of the numbers that the program prints");
  const hint = document.createElement("p");
  hint.className = "hint";
  hint.textContent = "Numbers that a program prints are drawn here, such as print(1.5, 20) or print(\"x:\", 1.5).";
  parent.prepend(hint);
  const decoder = new TextDecoder();
  let lines = new Lines();
  let columns = new Columns();
  let isAsked = false;

  function draw(): void {
    isAsked = false;
    if (columns.rows > 0) chart.show(columns.data());
  }

  return {
    feed(data) {
      const text = typeof data === "string" ? data : decoder.decode(data, { stream: true });
      for (const line of lines.push(text)) columns.add(numbersIn(line));
      if (columns.rows === 0 || isAsked) return;
      hint.hidden = true;
      isAsked = true;
      requestAnimationFrame(draw);
    },
    clear() {
      lines = new Lines();
      columns = new Columns();
    },
  };
}

/** The last rows of numbers. */
class Columns {
  rows = 0;
  /** How many rows came before those that are kept. */
  #dropped = 0;
  #values = new Map<string, Float64Array>();

  add(row: Map<string, number> | undefined): void {
    if (!row) return;
    if (this.rows === KEPT) this.#drop(KEPT / 2);
    for (const name of row.keys()) if (!this.#values.has(name) && this.#values.size < MOST_COLUMNS) this.#values.set(name, new Float64Array(KEPT).fill(NaN));
    for (const [name, values] of this.#values) values[this.rows] = row.get(name) ?? NaN;
    this.rows += 1;
  }

  data(): ChartData {
    const x = Float64Array.from({ length: this.rows }, (_, at) => this.#dropped + at);
    return { xName: "line", x, names: [...this.#values.keys()], y: [...this.#values.values()].map((values) => values.subarray(0, this.rows)) };
  }

  #drop(count: number): void {
    for (const values of this.#values.values()) values.copyWithin(0, count).fill(NaN, this.rows - count);
    this.rows -= count;
    this.#dropped += count;
  }
}

/** Rows that are kept; when there are more, the older half goes. */
const KEPT = 100_000;
const MOST_COLUMNS = 12;
