/** Displays runs: one as a chart or a table, several side by side in one chart. */

import { Chart, type ChartData } from "../../ui/chart/chart.ts";
import { make } from "../../ui/dom.ts";
import { download } from "../../places/download.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { locale } from "../../texts/index.ts";
import { axisOf, type Log } from "./csv.ts";
import { logOf, type Run } from "./runs.ts";
import { showTable } from "./table.ts";

export interface Shown {
  run: Run;
  bytes: Uint8Array<ArrayBuffer>;
  log: Log;
}

/** Loads a run, and parses its log. */
export async function bring(run: Run): Promise<Shown> {
  const bytes = await logOf(run);
  const log = await read(bytes);
  return { run, bytes, log: { ...log, names: log.names.map((name, at) => name || texts.column({ number: at + 1 })) } };
}

/** Reads a log in a worker. */
function read(bytes: Uint8Array): Promise<Log> {
  const worker = new Worker(new URL("./csv.worker.ts", import.meta.url), { type: "module" });
  const log = new Promise<Log>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<Log>) => resolve(data));
    worker.addEventListener("error", () => reject(new Error(texts.unreadable)));
  });
  worker.postMessage(bytes);
  return log.finally(() => worker.terminate());
}

/** Shows runs in a chart: all columns of one, or one column of several. */
export function showChart(parent: HTMLElement, shown: Shown[], column: string | undefined): Chart {
  const names = shown.map(({ run }) => run.runId).join(", ");
  const chart = new Chart(parent, texts.chartOf({ runs: names }));
  chart.show(shown.length === 1 ? dataOf(shown[0]!.log) : compared(shown, column ?? ""));
  if (shown.length > 1) parent.append(comparedButton(shown, column ?? ""));
  return chart;
}

export function showRows(parent: HTMLElement, { bytes, log }: Shown): void {
  showTable(parent, bytes, log.names, log.rows);
}

/** Returns the columns that all of these share, except their axes. */
export function commonColumns(shown: Shown[]): string[] {
  const sets = shown.map(({ log }) => new Set(axisOf(log).rest.map((at) => log.names[at]!)));
  return [...(sets[0] ?? [])].filter((name) => sets.every((set) => set.has(name)));
}

function dataOf(log: Log): ChartData {
  const { name = texts.row, x, rest } = axisOf(log);
  const drawn = rest.filter((at) => log.columns[at]!.some((value) => !Number.isNaN(value)));
  return { xName: name, x, names: drawn.map((at) => log.names[at]!), y: drawn.map((at) => log.columns[at]!) };
}

/** Aligns runs for a comparison: each begins at 0; where a run has no value of its own, its last one is used. */
function compared(shown: Shown[], column: string): ChartData {
  const runs = shown.map(({ run, log }) => {
    const { x, name = texts.row } = axisOf(log);
    return { name: run.runId, axis: name, x: x.map((value) => value - x[0]!), y: log.columns[log.names.indexOf(column)]! };
  });
  const x = Float64Array.from(new Set(runs.flatMap((run) => Array.from(run.x)))).sort();
  return { xName: runs[0]!.axis, x, names: distinct(runs.map(({ name }) => name)), y: runs.map((run) => onto(x, run.x, run.y)) };
}

/** Creates a button that saves the comparison. */
function comparedButton(shown: Shown[], column: string): HTMLElement {
  const button = make("button", texts.downloadCompared, "quiet");
  button.title = texts.downloadComparedTitle;
  const name = `${shown.map(({ run }) => run.runId).join("-").slice(0, LONGEST_NAME)}-${column.replace(/[^\p{L}\p{N}]+/gu, "_")}.csv`;
  button.addEventListener("click", () => download(name, comparedAsCsv(shown, column)));
  return button;
}

/** Returns the comparison as a table: the measured points, and a column for each run. */
function comparedAsCsv(shown: Shown[], column: string): Uint8Array<ArrayBuffer> {
  const { xName, x, names, y } = compared(shown, column);
  const lines = [[xName, ...names].map(cell).join(",")];
  for (let row = 0; row < x.length; row++) lines.push([x[row]!, ...y.map((values) => values[row]!)].map((value) => (Number.isNaN(value) ? "" : value)).join(","));
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
}

/** Quotes a cell if necessary (RFC 4180, section 2). */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function onto(all: Float64Array, x: Float64Array, y: Float64Array): Float64Array {
  const values = new Float64Array(all.length).fill(NaN);
  let at = 0;
  for (let place = 0; place < all.length; place++) {
    while (at + 1 < x.length && x[at + 1]! <= all[place]!) at++;
    if (all[place]! >= x[0]! && all[place]! <= x[x.length - 1]!) values[place] = y[at]!;
  }
  return values;
}

function distinct(names: string[]): string[] {
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} (${at + 1})`));
}

/** Creates an item of the list, for viewing and for comparing. */
export function runItem(run: Run, isChosen: boolean, act: { choose: (more: boolean) => void; remove: () => void }): HTMLElement {
  const item = make("li");
  const box = make("input");
  box.type = "checkbox";
  box.checked = isChosen;
  box.ariaLabel = texts.compare({ run: run.runId, time: run.when.toLocaleTimeString(locale) });
  box.addEventListener("change", () => act.choose(true));
  const button = make("button", "", "quiet run");
  button.title = `${run.runId}, ${run.when.toLocaleString(locale)}, ${run.board}`;
  button.append(make("span", run.runId, "name"), make("span", run.when.toLocaleString(locale, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" }), "when"));
  if (isChosen) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => act.choose(false));
  const remove = make("button", "×", "quiet");
  remove.ariaLabel = texts.delete({ run: run.runId });
  remove.addEventListener("click", act.remove);
  item.append(box, button, remove);
  return item;
}

/** Length limit of a file's name, without its extension. */
const LONGEST_NAME = 100;
