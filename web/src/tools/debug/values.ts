/** Variables and their content, as an expandable list. */

import type { DebugVariable } from "flylead/debug";
import { make } from "../../ui/dom.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/tools/debug.ts";

/** Operations on some variables. */
export interface Inspector {
  /** Returns the items of a value from `start` on, and the operations on them. */
  open: (handle: number, start: number, count: number) => Promise<readonly [DebugVariable[], Inspector]>;
  /** Sets a variable to the value of an expression. */
  set: (name: string, python: string) => Promise<void>;
}

/** Creates an entry for each variable. */
export function entries(variables: readonly DebugVariable[], inspector: Inspector): HTMLLIElement[] {
  return variables.map((variable) => entry(variable, inspector));
}

/** Creates elements for a name and its value. */
export function pair(name: string, text: string, type = ""): HTMLElement[] {
  const value = make("span", text, "value");
  if (type) value.title = type;
  return [make("span", name, "name"), value];
}

function entry(variable: DebugVariable, inspector: Inspector): HTMLLIElement {
  const item = make("li");
  const { name, text, type, handle, length } = variable;
  const change = changeButton(item, variable, inspector);
  if (handle === undefined) {
    item.append(...pair(name, text, type), change);
    return item;
  }
  const details = make("details");
  const summary = make("summary");
  summary.append(...pair(name, text, length === undefined ? type : texts.items({ type, items: length })));
  const list = make("ul", "", "values");
  details.append(summary, list);
  details.addEventListener("toggle", () => details.open && list.childElementCount === 0 && void grow(list, handle, inspector));
  item.append(details, change);
  return item;
}

/** Creates a button that opens a field for changing the variable's value. */
function changeButton(item: HTMLLIElement, { name, text }: DebugVariable, { set }: Inspector): HTMLButtonElement {
  const button = make("button", "✎", "quiet change");
  button.ariaLabel = texts.changeNamed({ name });
  button.title = texts.change;
  button.addEventListener("click", () => {
    const before = [...item.childNodes];
    const form = make("form", "", "watch");
    const input = make("input");
    Object.assign(input, { value: text, ariaLabel: texts.newValue({ name }), autocomplete: "off", spellcheck: false });
    const said = make("span", "", "note");
    said.setAttribute("role", "alert");
    form.append(make("span", name, "name"), input, said);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void set(name, input.value).catch((error: unknown) => (said.textContent = messageOf(error)));
    });
    input.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      item.replaceChildren(...before);
      button.focus();
    });
    item.replaceChildren(form);
    input.select();
  });
  return button;
}

/** Appends the next items, and a button for the remaining ones. */
async function grow(list: HTMLElement, handle: number, inspector: Inspector): Promise<void> {
  const start = list.childElementCount;
  const waiting = make("li", "…", "note");
  list.append(waiting);
  try {
    const [items, within] = await inspector.open(handle, start, AT_ONCE + 1);
    waiting.replaceWith(...entries(items.slice(0, AT_ONCE), within));
    if (items.length > AT_ONCE) list.append(more(list, handle, inspector));
    else if (start + items.length === 0) list.append(make("li", texts.empty, "note"));
  } catch (error) {
    waiting.textContent = messageOf(error);
  }
}

function more(list: HTMLElement, handle: number, inspector: Inspector): HTMLLIElement {
  const item = make("li");
  const button = make("button", texts.more, "link");
  button.addEventListener("click", () => (item.remove(), void grow(list, handle, inspector)));
  item.append(button);
  return item;
}

const AT_ONCE = 50;
