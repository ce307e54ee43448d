/** Parts at the pins of a board: outputs of a program are drawn, and its inputs can be pressed or moved. */

import type { BoardInput } from "flylead";
import { make } from "../../ui/dom.ts";
import { decimal } from "../../texts/index.ts";
import { texts } from "../../texts/pins.ts";
import { makeDisplay } from "./display.ts";
import { lightOf } from "./light.ts";
import type { Drawing } from "./panel.ts";
import { label, picture, svg } from "./svg.ts";

export interface Part {
  readonly element: HTMLElement;
  show(value: string): void;
  /** Releases the part, if it is held. */
  release?(): void;
}

export type Input = (input: BoardInput) => void;

/** Creates the part with this name, such as `out:15`. */
export function makePart(name: string, { machine, positions, input }: Drawing, signal: AbortSignal): Part {
  const [kind, place] = name.split(":") as [string, string];
  const pin = `${machine === "pico" ? "GP" : "GPIO"}${place}`;
  const slide = (name: string, scale: Scale) => slider(name, scale, positions);
  switch (kind) {
    case "in":
      return makeButton(texts.buttonAt({ pin }), pin, Number(place), input, signal);
    case "touch":
      return makeButton(texts.touchAt({ pin }), pin, Number(place), input, signal);
    case "adc":
      return makeSliders(pin, [slide(texts.sliderAt({ pin }), voltage(Number(place), input))]);
    case "dht":
      return makeSliders(texts.sensorAt({ pin }), [slide(texts.temperature, temperature(input)), slide(texts.humidity, humidity(input))]);
    case "ds":
      return makeSliders(texts.sensorAt({ pin }), [slide(texts.temperature, temperature(input))]);
    case "neo":
      return makeLights(texts.lightsAt({ pin }));
    case "oled":
      return makeDisplay();
    default:
      return makeLed(texts.ledOn({ pin }), pin);
  }
}

function figure(content: Element, caption: string): HTMLElement {
  const element = make("figure", "", "part");
  element.append(content, make("figcaption", caption));
  return element;
}

function makeLed(name: string, pin: string): Part {
  const glow = svg("circle", { cx: 16, cy: 14, r: 13, class: "glow" });
  const drawing = picture(32, 40, svg("path", { d: "M12 26v12M20 26v14", class: "leg" }), svg("circle", { cx: 16, cy: 14, r: 10, class: "unlit" }), glow);
  const element = figure(drawing, pin);
  const show = (value: string) => {
    const { share, said } = lightOf(value);
    glow.style.opacity = String(share);
    label(drawing, name, said);
  };
  return { element, show };
}

/**
 * Duration of a press that has no end of its own, in milliseconds, because a program may only check the button now and
 * then.
 */
const PRESS_MS = 200;

/**
 * Creates a button, which is pressed as long as it is held with the pointer, the space bar or Enter. A screen reader
 * only reports a click: one without a pointer, which the keys do not cause here.
 */
function makeButton(name: string, pin: string, number: number, input: Input, signal: AbortSignal): Part {
  const cap = svg("circle", { cx: 18, cy: 18, r: 9, class: "cap" });
  const drawing = svg("svg", { viewBox: "0 0 36 36", "aria-hidden": "true" }, svg("rect", { x: 2, y: 2, width: 32, height: 32, rx: 4, class: "case" }), cap);
  const button = make("button", "", "press");
  button.type = "button";
  button.append(drawing, make("span", pin));
  button.ariaLabel = name;
  button.ariaPressed = "false";
  const set = (down: boolean) => {
    if ((button.ariaPressed === "true") === down) return;
    button.ariaPressed = String(down);
    input({ kind: "button", pin: number, value: down ? 1 : 0 });
  };
  const isKey = ({ key }: KeyboardEvent) => key === " " || key === "Enter";
  button.addEventListener("pointerdown", (event) => (button.setPointerCapture(event.pointerId), set(true)), { signal });
  for (const type of ["pointerup", "pointercancel", "blur"]) button.addEventListener(type, () => set(false), { signal });
  button.addEventListener("keydown", (event) => isKey(event) && (event.preventDefault(), event.repeat || set(true)), { signal });
  button.addEventListener("keyup", (event) => isKey(event) && (event.preventDefault(), set(false)), { signal });
  button.addEventListener("click", ({ detail }) => detail === 0 && (set(true), setTimeout(() => set(false), PRESS_MS)), { signal });
  button.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  const element = make("div", "", "part");
  element.append(button);
  return { element, show: () => undefined, release: () => set(false) };
}

function makeSliders(caption: string, sliders: readonly HTMLElement[]): Part {
  const element = make("div", "", "part sliders");
  element.role = "group";
  element.ariaLabel = caption;
  element.append(make("span", caption, "caption"), ...sliders);
  return { element, show: () => undefined };
}

interface Scale {
  readonly limits: readonly [number, number];
  readonly initial: number;
  say(value: number): string;
  set(value: number): void;
}

function slider(name: string, { limits: [least, most], initial, say, set }: Scale, positions: Map<string, number>): HTMLElement {
  const field = make("label", "", "slider");
  const range = make("input");
  const value = make("output");
  Object.assign(range, { type: "range", min: String(least), max: String(most), step: "any" });
  range.value = String(positions.get(name) ?? initial);
  range.ariaLabel = name;
  const draw = () => {
    value.textContent = say(range.valueAsNumber);
    range.setAttribute("aria-valuetext", value.textContent);
  };
  range.addEventListener("input", () => {
    positions.set(name, range.valueAsNumber);
    draw();
    set(range.valueAsNumber);
  });
  draw();
  if (positions.has(name)) set(range.valueAsNumber);
  field.append(range, value);
  return field;
}

function voltage(pin: number, input: Input): Scale {
  return { limits: [0, 65535], initial: 32768, say: (value) => texts.volts({ volts: decimal((3.3 * value) / 65535, 2) }), set: (value) => input({ kind: "slider", pin, value }) };
}

function temperature(input: Input): Scale {
  return { limits: [-10, 50], initial: 21.5, say: (value) => texts.degrees({ degrees: decimal(value, 1) }), set: (value) => input({ kind: "temperature", value: 10 * value }) };
}

function humidity(input: Input): Scale {
  return { limits: [0, 100], initial: 45, say: (value) => texts.percent({ percent: decimal(value, 0) }), set: (value) => input({ kind: "humidity", value: 10 * value }) };
}

/** Limit of lights. */
const MOST_LIGHTS = 512;
/** Number of lights in a row; those of a matrix continue in the next one. */
const ROW = 16;
const PITCH = 12;

function makeLights(name: string): Part {
  const drawing = picture(PITCH, PITCH);
  const element = figure(drawing, name);
  element.classList.add("strip");
  const show = (value: string) => {
    const colors = (value.match(/.{6}/g) ?? []).slice(0, MOST_LIGHTS);
    const [columns, rows] = [Math.min(ROW, Math.max(1, colors.length)), Math.ceil(colors.length / ROW)];
    drawing.setAttribute("viewBox", `0 0 ${columns * PITCH} ${rows * PITCH}`);
    drawing.style.width = `${columns * 1.1}rem`;
    drawing.replaceChildren(...colors.map((color, at) => bulb(color, (at % ROW) * PITCH, Math.floor(at / ROW) * PITCH)));
    label(drawing, name, colors.map((color) => (color === "000000" ? texts.dark : `#${color}`)).join(" "));
  };
  return { element, show };
}

function bulb(color: string, x: number, y: number): SVGElement {
  const fill = color === "000000" ? "" : `#${color}`;
  return svg("rect", { x: x + 1, y: y + 1, width: PITCH - 2, height: PITCH - 2, rx: 3, class: "bulb", ...(fill && { fill }) });
}
