/** Creates SVG elements. */

const SPACE = "http://www.w3.org/2000/svg";

export type Attributes = Readonly<Record<string, string | number>>;

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: readonly SVGElement[]): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Creates a picture that a screen reader names by its label, which is set when it shows something. */
export function picture(width: number, height: number, ...children: readonly SVGElement[]): SVGSVGElement {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" }, ...children);
}

/** Labels an element with its name and its state. */
export function label(element: Element, name: string, state: string): void {
  element.setAttribute("aria-label", `${name}: ${state}`);
}
