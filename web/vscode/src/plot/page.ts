/** The plot's page, in a view of the editor: draws the numbers of a program's output with the chart of Flylead's own page. */

import { Columns } from "../../../src/run/plot/columns.ts";
import { Lines, numbersIn } from "../../../src/run/plot/numbers.ts";
import { texts } from "../../../src/texts/plot.ts";
import { Chart, type Scale } from "../../../src/ui/chart/chart.ts";
import "./page.css";

/** Message from the extension: output of a program, the start of another one, or a request for the numbers as a table. */
type Message = { readonly print: string } | { readonly clear: true } | { readonly csv: true };

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const editor = acquireVsCodeApi();
const place = document.querySelector<HTMLElement>("main")!;
const hint = document.querySelector<HTMLElement>("p")!;
const scale = document.querySelector<HTMLSelectElement>("select")!;
let chart = new Chart(place, texts.chart);
let lines = new Lines();
let columns = new Columns();
let isAsked = false;

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if ("csv" in data) editor.postMessage({ csv: columns.csv() });
  else if ("clear" in data) clear();
  else feed(data.print);
});
scale.addEventListener("change", draw);
// The editor names its theme in a class; the chart reads its colors when it is made.
new MutationObserver(() => {
  chart.close();
  chart = new Chart(place, texts.chart);
  draw();
}).observe(document.body, { attributeFilter: ["class"] });
draw();
editor.postMessage({ ready: true });

function feed(text: string): void {
  for (const line of lines.push(text)) {
    const row = numbersIn(line);
    if (row) columns.add(row);
  }
  if (isAsked || columns.rows === 0) return;
  isAsked = true;
  requestAnimationFrame(draw);
}

function clear(): void {
  lines = new Lines();
  columns = new Columns();
  draw();
}

function draw(): void {
  isAsked = false;
  hint.hidden = columns.rows > 0;
  place.hidden = columns.rows === 0;
  if (columns.rows > 0) chart.show(columns.data(), scale.value as Scale);
}
