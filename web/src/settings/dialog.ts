/** The settings as a dialog. Each takes effect as it is chosen. */

import { showDialog } from "../dialog.ts";
import { make } from "../dom.ts";
import { change, FONT_SIZES, INDENTS, type Settings, settings } from "../settings.ts";

export function openSettings(): void {
  const { resetOnRun, theme, fontSize, indent, help } = settings();
  const content = make("div", "", "fields");
  content.append(
    check("Reset the board softly before Run", "A program begins with nothing of the one before: no variables, and modules as they are now. Files stay.", resetOnRun, (checked) => change({ resetOnRun: checked })),
    check("Help at writing programs", "Mistakes are underlined, and names completed as the board has them. What that needs, 4 MB, is loaded once and kept in this browser.", help, (checked) => change({ help: checked })),
    choice("Colours", [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]], theme, (value) => change({ theme: value as Settings["theme"] })),
    number("Size of code, in pixels", fontSize, FONT_SIZES, (value) => change({ fontSize: value })),
    choice("Indentation", INDENTS.map((width) => [String(width), `${width} spaces`]), String(indent), (value) => change({ indent: Number(value) })),
  );
  showDialog("Settings", content);
}

function check(label: string, explanation: string, checked: boolean, take: (checked: boolean) => void): HTMLElement {
  const field = make("label", "", "check");
  const box = make("input");
  box.type = "checkbox";
  box.checked = checked;
  box.addEventListener("change", () => take(box.checked));
  const text = make("span", label);
  text.append(make("small", explanation));
  field.append(box, text);
  return field;
}

function choice(label: string, options: readonly (readonly [string, string])[], value: string, take: (value: string) => void): HTMLElement {
  const field = make("label", label);
  const select = make("select");
  select.append(...options.map(([name, text]) => new Option(text, name, false, name === value)));
  select.addEventListener("change", () => take(select.value));
  field.append(select);
  return field;
}

function number(label: string, value: number, { least, most }: { least: number; most: number }, take: (value: number) => void): HTMLElement {
  const field = make("label", label);
  const input = make("input");
  Object.assign(input, { type: "number", min: String(least), max: String(most), value: String(value) });
  input.addEventListener("change", () => input.validity.valid && take(input.valueAsNumber));
  field.append(input);
  return field;
}
