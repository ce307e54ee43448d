/** Plots the numbers of a running program's output. */

import { Chart, type Scale } from "../../ui/chart/chart.ts";
import { download } from "../../places/download.ts";
import { filled, locale } from "../../texts/index.ts";
import { texts } from "../../texts/plot.ts";
import { Columns } from "./columns.ts";
import { Lines, numbersIn } from "./numbers.ts";
import html from "./panel.html?raw";
import "./panel.css";

export interface Plotter {
  /** Adds output of the board. */
  feed(data: Uint8Array | string): void;
  /** Clears the plot. */
  clear(): void;
}

export function openPlotter(parent: HTMLElement): Plotter {
  parent.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement>(selector: string) => parent.querySelector<T>(selector)!;
  const place = find(".plot-chart");
  const last = find<HTMLSelectElement>("[name=last]");
  const scale = find<HTMLSelectElement>("[name=scale]");
  const decoder = new TextDecoder();
  let chart = openChart();
  let lines = new Lines();
  let columns = new Columns();
  /** Number of lines without numbers. */
  let others = 0;
  let isAsked = false;
  let isPaused = false;
  for (const select of [last, scale]) select.addEventListener("change", draw);
  find("[data-do=pause]").addEventListener("click", (event) => pause(event.currentTarget as HTMLElement));
  find("[data-do=csv]").addEventListener("click", () => download("plot.csv", new TextEncoder().encode(columns.csv())));
  find("[data-do=png]").addEventListener("click", () => void chart.picture().then((picture) => picture && download("plot.png", picture)));
  draw();

  function openChart(): Chart {
    return new Chart(place, texts.chart);
  }

  function pause(button: HTMLElement): void {
    isPaused = !isPaused;
    button.ariaPressed = String(isPaused);
    button.textContent = isPaused ? texts.goOn : texts.pause;
    if (!isPaused) draw();
  }

  function draw(): void {
    isAsked = false;
    const hint = find(".hint");
    hint.hidden = columns.rows > 0;
    hint.textContent = others < MANY ? texts.hint : `${texts.noNumbers({ lines: others.toLocaleString(locale) })} ${texts.hint}`;
    place.hidden = columns.rows === 0;
    for (const act of ["csv", "png"]) find(`[data-do=${act}]`).ariaDisabled = String(columns.rows === 0);
    if (columns.rows > 0) chart.show(columns.data(Number(last.value) || Infinity), scale.value as Scale);
  }

  function ask(): void {
    if (isAsked || isPaused) return;
    isAsked = true;
    requestAnimationFrame(draw);
  }

  return {
    feed(data) {
      const text = typeof data === "string" ? data : decoder.decode(data, { stream: true });
      for (const line of lines.push(text)) {
        const row = numbersIn(line);
        if (row) columns.add(row);
        else if (line.trim() !== "") others += 1;
      }
      if (columns.rows > 0 || others >= MANY) ask();
    },
    clear() {
      lines = new Lines();
      columns = new Columns();
      others = 0;
      chart.close();
      chart = openChart();
      draw();
    },
  };
}

/** Number of lines that exceeds a greeting. */
const MANY = 5;
