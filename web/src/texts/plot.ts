/** Texts of charts and the plotter. */

import { spoken } from "./index.ts";

export const english = {
  plot: "Plot",
  pause: "Pause",
  goOn: "Go on",
  pauseTitle: "Stop drawing; what is printed meanwhile is kept",
  show: "Show",
  all: "all",
  last100: "last 100",
  last1000: "last 1000",
  scale: "Scale",
  automatic: "automatic",
  withZero: "with zero",
  logarithmic: "logarithmic",
  csvTitle: "Save the numbers as a table",
  pngTitle: "Save the chart as a picture",
  chart: "Chart of the numbers that the program prints",
  hint: 'Print numbers and they are drawn here, a line at a time: print(1.5, 20), print("x:", 1.5, "mm"), a tuple, a dict or JSON.',
  noNumbers: (lines: string) => `${lines} lines were printed, and none of them holds numbers alone.`,
  legend: "What the chart shows",
  everything: "All",
  nothing: "None",
  line: "line",
};

export const texts = spoken("plot", english);
