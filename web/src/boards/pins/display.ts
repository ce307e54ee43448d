/** A display of 128 by 64 dots, drawn from its memory. */

import { make } from "../../ui/dom.ts";
import { locale } from "../../texts/index.ts";
import { texts } from "../../texts/pins.ts";
import type { Part } from "./parts.ts";
import { label, picture, svg } from "./svg.ts";

const WIDTH = 128;
const MOST_HEIGHT = 64;

export function makeDisplay(): Part {
  const glass = svg("rect", { width: WIDTH, height: MOST_HEIGHT, class: "glass" });
  const dots = svg("path", { class: "dots" });
  const drawing = picture(WIDTH, MOST_HEIGHT, glass, dots);
  const element = make("figure", "", "part display");
  element.append(drawing, make("figcaption", texts.display));
  const show = (value: string) => {
    const [state = "", lines = "", memory = ""] = value.split(",");
    const height = Math.min(MOST_HEIGHT, Number(lines) || MOST_HEIGHT);
    drawing.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    glass.setAttribute("height", String(height));
    const { path, count } = state.startsWith("on") ? runsOf(bytesOf(memory.slice(0, 2 * WIDTH * (MOST_HEIGHT / 8))), height, state.endsWith("i")) : { path: "", count: 0 };
    dots.setAttribute("d", path);
    label(drawing, texts.display, state.startsWith("on") ? texts.displayState({ dots: count.toLocaleString(locale) }) : texts.displayOff);
  };
  return { element, show };
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/**
 * Converts memory to rectangles. Each byte has eight dots, one below the other, with the lowest bit at the top;
 * neighboring dots become one rectangle.
 */
function runsOf(memory: Uint8Array, height: number, isInverted: boolean): { path: string; count: number } {
  const parts: string[] = [];
  let count = 0;
  const isLit = (x: number, y: number) => ((((memory[x + WIDTH * (y >> 3)] ?? 0) >> (y & 7)) & 1) === 1) !== isInverted;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < WIDTH; x++) {
      if (!isLit(x, y)) continue;
      const from = x;
      while (x < WIDTH && isLit(x, y)) x++;
      count += x - from;
      parts.push(`M${from} ${y}h${x - from}v1h${from - x}z`);
    }
  }
  return { path: parts.join(""), count };
}
