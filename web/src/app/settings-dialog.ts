/** The settings dialog. Each setting takes effect immediately. */

import { showDialog } from "../ui/dialog.ts";
import { make } from "../ui/dom.ts";
import { texts } from "../texts/dialogs.ts";
import { LANGUAGES } from "../texts/index.ts";
import { change, FONT_SIZES, INDENTS, type Settings, settings } from "../storage/settings.ts";

export function openSettings(): void {
  const { resetOnRun, theme, fontSize, indent, language, help } = settings();
  const content = make("div", "", "fields");
  content.append(
    check(texts.resetOnRun, texts.resetOnRunHint, resetOnRun, (checked) => change({ resetOnRun: checked })),
    check(texts.help, texts.helpHint, help, (checked) => change({ help: checked })),
    ...languageChoice(language),
    choice(texts.colors, [["auto", texts.colorsAuto], ["light", texts.light], ["dark", texts.dark]], theme, (value) => change({ theme: value as Settings["theme"] })),
    number(texts.fontSize, fontSize, FONT_SIZES, (value) => change({ fontSize: value })),
    choice(texts.indent, INDENTS.map((width) => [String(width), texts.spaces({ count: width })]), String(indent), (value) => change({ indent: Number(value) })),
  );
  showDialog(texts.settings, content);
}

/**
 * Creates the choice of a language. Texts are loaded with the page, so another language is offered with a reload, which
 * is not forced upon a board at work.
 */
function languageChoice(now: Settings["language"]): HTMLElement[] {
  const hint = make("p", `${texts.languageHint} `, "hint");
  const reload = make("button", texts.reload, "link");
  reload.type = "button";
  reload.addEventListener("click", () => location.reload());
  hint.append(reload);
  hint.hidden = true;
  const field = choice(texts.language, [["auto", texts.languageAuto], ...Object.entries(LANGUAGES)], now, (value) => {
    change({ language: value as Settings["language"] });
    hint.hidden = value === now;
  });
  return [field, hint];
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
