/** Variables and what is in them, as a list that opens. */

import type { DebugVariable } from "flylead/debug";
import { make } from "../dom.ts";

/** The items of a value, from one on. */
export type ItemsOf = (handle: number, start: number, count: number) => Promise<DebugVariable[]>;

/** An entry for each variable. */
export function entries(variables: readonly DebugVariable[], itemsOf: ItemsOf): HTMLLIElement[] {
  return variables.map((variable) => entry(variable, itemsOf));
}

/** A name, and what it is worth. */
export function pair(name: string, text: string, type = ""): HTMLElement[] {
  const value = make("span", text, "value");
  if (type) value.title = type;
  return [make("span", name, "name"), value];
}

function entry(variable: DebugVariable, itemsOf: ItemsOf): HTMLLIElement {
  const item = make("li");
  const { name, text, type, handle, length } = variable;
  if (handle === undefined) {
    item.append(...pair(name, text, type));
    return item;
  }
  const details = make("details");
  const summary = make("summary");
  summary.append(...pair(name, text, length === undefined ? type : `${type}, ${length} items`));
  const list = make("ul", "", "values");
  details.append(summary, list);
  details.addEventListener("toggle", () => details.open && list.childElementCount === 0 && void grow(list, handle, itemsOf));
  item.append(details);
  return item;
}

/** Adds the next items, and a button for those behind them. */
async function grow(list: HTMLElement, handle: number, itemsOf: ItemsOf): Promise<void> {
  const start = list.childElementCount;
  const waiting = make("li", "…", "note");
  list.append(waiting);
  try {
    const items = await itemsOf(handle, start, AT_ONCE + 1);
    waiting.replaceWith(...entries(items.slice(0, AT_ONCE), itemsOf));
    if (items.length > AT_ONCE) list.append(more(list, handle, itemsOf));
    else if (start + items.length === 0) list.append(make("li", "nothing in it", "note"));
  } catch (error) {
    waiting.textContent = error instanceof Error ? error.message : String(error);
  }
}

function more(list: HTMLElement, handle: number, itemsOf: ItemsOf): HTMLLIElement {
  const item = make("li");
  const button = make("button", "More", "link");
  button.addEventListener("click", () => (item.remove(), void grow(list, handle, itemsOf)));
  item.append(button);
  return item;
}

const AT_ONCE = 50;
