/** The board itself, with its own LED. */

import type { Machine } from "../../storage/settings.ts";
import { texts } from "../../texts/pins.ts";
import { lightOf } from "./light.ts";
import { label, picture, svg } from "./svg.ts";

/** Pin of the LED. */
const LED: Readonly<Record<Machine, number>> = { pico: 25, esp32: 2 };
const PADS = 20;

export class Board {
  readonly machine: Machine;
  readonly element: SVGSVGElement;
  readonly #led = svg("circle", { cx: 20, cy: 15, r: 4, class: "glow" });

  constructor(machine: Machine) {
    this.machine = machine;
    const name = svg("text", { x: 66, y: 50, class: "silk" });
    name.textContent = machine === "pico" ? texts.picoBoard : texts.esp32Board;
    const pads = Array.from({ length: PADS }, (_, at) => [6, 54].map((cy) => svg("circle", { cx: 10 + at * 6.3, cy, r: 2, class: "gold" }))).flat();
    this.element = picture(
      140,
      60,
      svg("rect", { x: 1, y: 1, width: 138, height: 58, rx: 4, class: "mask" }),
      ...pads,
      svg("rect", { x: 0, y: 22, width: 14, height: 16, rx: 2, class: "usb" }),
      svg("rect", { x: 62, y: 20, width: 20, height: 20, rx: 1, class: "chip" }),
      svg("circle", { cx: 20, cy: 15, r: 2.5, class: "unlit" }),
      this.#led,
      name,
    );
    this.element.setAttribute("class", "drawn-board");
    this.show(new Map());
  }

  /** Returns true if this part is on the board. */
  has(part: string): boolean {
    return part === `out:${LED[this.machine]}` || part === `pwm:${LED[this.machine]}`;
  }

  show(parts: ReadonlyMap<string, string>): void {
    const pin = LED[this.machine];
    const { share, said } = lightOf(parts.get(`pwm:${pin}`) ?? parts.get(`out:${pin}`) ?? "0");
    this.#led.style.opacity = String(share);
    label(this.element, `${this.machine === "pico" ? texts.picoBoard : texts.esp32Board}, ${texts.onBoard}`, said);
  }
}
