/** A chart that stays smooth at any length: uPlot only gets the points that the screen can show. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { colorOf, make } from "../dom.ts";
import { texts } from "../../texts/plot.ts";
import { watchTheme } from "../style/theme.ts";
import { decimate, type Series } from "./decimate.ts";

export interface ChartData extends Series {
  /** Name of the column on the x axis. */
  xName: string;
  /** Names, one for each `y`. */
  names: string[];
}

/** Scale of the values: fitted to the chart, including zero, or logarithmic. */
export type Scale = "auto" | "zero" | "log";

/** Draws into an element; its data can be replaced any number of times. */
export class Chart {
  readonly #parent: HTMLElement;
  readonly #canvas = make("div", "", "chart");
  readonly #legend = make("div", "", "legend");
  readonly #sizes = new ResizeObserver(() => this.#resize());
  /** Aborted when the chart is removed. */
  readonly #end = new AbortController();
  #plot: uPlot | undefined;
  #data: ChartData | undefined;
  #scale: Scale = "auto";
  #hidden = new Set<string>();

  constructor(parent: HTMLElement, label: string) {
    this.#parent = parent;
    this.#canvas.tabIndex = 0;
    this.#canvas.role = "img";
    this.#canvas.ariaLabel = label;
    this.#legend.role = "group";
    this.#legend.ariaLabel = texts.legend;
    parent.append(this.#legend, this.#canvas);
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
    this.#sizes.observe(this.#canvas);
    watchTheme(() => this.#build(), this.#end.signal);
  }

  /** Shows other data, always as a whole; the plot is only rebuilt if the names or the scale have changed. */
  show(data: ChartData, scale: Scale = "auto"): void {
    const isSame = this.#plot !== undefined && this.#scale === scale && this.#data?.names.join("\n") === data.names.join("\n");
    this.#data = data;
    this.#scale = scale;
    if (isSame) this.#zoom(...this.#ends());
    else this.#build();
  }

  /** Zooms out to all data. */
  showAll(): void {
    this.#zoom(...this.#ends());
  }

  #build(): void {
    const data = this.#data;
    this.#plot?.destroy();
    this.#plot = undefined;
    if (!data) return;
    const colors = colorsOf(data.names);
    this.#plot = new uPlot(this.#options(data, colors), [[], ...data.names.map(() => [])], this.#canvas);
    this.#drawLegend(data.names, colors);
    this.showAll();
  }

  #options(data: ChartData, colors: string[]): uPlot.Options {
    const axis = { stroke: colorOf("--faint"), grid: { stroke: colorOf("--rule"), width: 1 }, ticks: { stroke: colorOf("--rule"), width: 1 } };
    return {
      ...this.#size(),
      legend: { show: false },
      scales: { x: { time: false }, y: SCALES[this.#scale] },
      axes: [{ ...axis, label: data.xName, labelSize: 20, size: 40 }, { ...axis, size: 60 }],
      series: [{}, ...data.names.map((name, at) => ({ label: name, stroke: colors[at]!, width: 1.5, points: { show: false }, show: !this.#hidden.has(name) }))],
      cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: { setSelect: [(plot) => this.#selected(plot)] },
    };
  }

  /** Zooms into a section that was marked with the pointer. */
  #selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    this.#zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  #zoom(from: number, to: number): void {
    const [plot, data] = [this.#plot, this.#data];
    if (!plot || !data) return;
    plot.batch(() => {
      plot.setData(decimate(data, from, to, Math.max(Math.floor(plot.width), 100)) as uPlot.AlignedData, false);
      plot.setScale("x", { min: from, max: to });
    });
  }

  #ends(): [number, number] {
    const x = this.#data?.x;
    const [first, last] = [x?.[0] ?? 0, x?.[x.length - 1] ?? 1];
    return last > first ? [first, last] : [first - 0.5, first + 0.5];
  }

  #key(event: KeyboardEvent): void {
    const { min = 0, max = 1 } = (this.#plot?.scales.x as { min?: number; max?: number }) ?? {};
    const [span, middle] = [max - min, (max + min) / 2];
    const view = {
      "+": [middle - span / 4, middle + span / 4],
      "-": [middle - span, middle + span],
      ArrowLeft: [min - span / 5, max - span / 5],
      ArrowRight: [min + span / 5, max + span / 5],
      Home: this.#ends(),
    }[event.key];
    if (!view) return;
    event.preventDefault();
    this.#zoom(view[0]!, view[1]!);
  }

  #drawLegend(names: string[], colors: string[]): void {
    this.#legend.replaceChildren(...names.map((name, at) => this.#legendItem(name, colors[at]!, at + 1)));
    if (names.length >= MANY) this.#legend.append(this.#legendButton(texts.everything, () => false), this.#legendButton(texts.nothing, () => true));
  }

  #legendButton(text: string, isHidden: () => boolean): HTMLElement {
    const button = make("button", text, "link");
    button.addEventListener("click", () => {
      for (const box of this.#legend.querySelectorAll("input")) if (box.checked === isHidden()) box.click();
    });
    return button;
  }

  #legendItem(name: string, stroke: string, series: number): HTMLElement {
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = !this.#hidden.has(name);
    box.addEventListener("change", () => {
      if (box.checked) this.#hidden.delete(name);
      else this.#hidden.add(name);
      this.#plot?.setSeries(series, { show: box.checked });
    });
    const line = make("span", "", "line");
    line.style.background = stroke;
    label.append(box, line, name);
    return label;
  }

  #resize(): void {
    if (this.#canvas.offsetWidth === 0) return;
    this.#plot?.setSize(this.#size());
  }

  #size(): { width: number; height: number } {
    return { width: Math.max(this.#canvas.clientWidth, 100), height: Math.max(this.#canvas.clientHeight, 80) };
  }

  /** Returns the chart as a PNG file, on the page's background and with its names. */
  async picture(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const drawn = this.#plot?.ctx.canvas;
    if (!drawn || !this.#data) return undefined;
    const canvas = document.createElement("canvas");
    const line = 22 * devicePixelRatio;
    [canvas.width, canvas.height] = [drawn.width, drawn.height + line];
    const context = canvas.getContext("2d")!;
    context.fillStyle = colorOf("--surface");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(drawn, 0, line);
    context.font = `${13 * devicePixelRatio}px sans-serif`;
    let left = line;
    for (const [at, name] of this.#data.names.entries()) {
      if (this.#hidden.has(name)) continue;
      context.fillStyle = colorsOf(this.#data.names)[at]!;
      context.fillText(name, left, line * 0.8);
      left += context.measureText(name).width + line;
    }
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    return blob ? new Uint8Array(await blob.arrayBuffer()) : undefined;
  }

  /** Removes the chart, with all of its observers. */
  close(): void {
    this.#sizes.disconnect();
    this.#end.abort();
    this.#plot?.destroy();
    this.#parent.replaceChildren();
  }
}

function colorsOf(names: string[]): string[] {
  return names.map((_, at) => colorOf(`--series-${(at % SERIES) + 1}`));
}

const SCALES: Record<Scale, uPlot.Scale> = {
  auto: {},
  zero: { range: (_, min, max) => uPlot.rangeNum(Math.min(min ?? 0, 0), Math.max(max ?? 1, 0), 0.1, true) },
  log: { distr: 3 },
};

/** Number of lines from which they are shown and hidden together. */
const MANY = 3;
/** Number of the page's colors for lines. */
const SERIES = 6;
