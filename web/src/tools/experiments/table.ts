/** A log as a table, shown one page of rows at a time, because a million rows are unreadable. */

import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { locale } from "../../texts/index.ts";
import { textRows } from "./csv.ts";

/** Draws the log into `parent`, starting with its first rows. */
export function showTable(parent: HTMLElement, bytes: Uint8Array, names: string[], rows: number): void {
  const place = make("div", "", "table-place");
  place.tabIndex = 0;
  place.role = "region";
  place.ariaLabel = texts.rowsOfLog;
  const pager = make("div", "", "pager");
  const text = make("span");
  const [back, on] = [make("button", texts.earlier, "quiet"), make("button", texts.later, "quiet")];
  const field = make("input");
  field.type = "number";
  field.min = "1";
  field.max = String(rows);
  const label = make("label", `${texts.rowField} `);
  label.append(field);
  pager.append(back, text, on, label);
  parent.append(place, pager);
  let from = 0;
  back.addEventListener("click", () => show(from - PAGE));
  on.addEventListener("click", () => show(from + PAGE));
  field.addEventListener("change", () => show(Number(field.value) - 1));
  show(0);

  function show(wanted: number): void {
    from = Math.min(Math.max(wanted, 0), Math.max(rows - 1, 0));
    const some = textRows(bytes, from, PAGE);
    place.replaceChildren(tableOf(names, some, from));
    place.scrollTop = 0;
    text.textContent = texts.range({ from: (from + 1).toLocaleString(locale), to: (from + some.length).toLocaleString(locale), all: rows.toLocaleString(locale) });
    back.ariaDisabled = String(from === 0);
    on.ariaDisabled = String(from + some.length >= rows);
  }
}

function tableOf(names: string[], rows: string[][], from: number): HTMLTableElement {
  const table = make("table");
  const head = table.createTHead().insertRow();
  head.append(...[texts.row, ...names].map((name) => headCell(name)));
  const body = table.createTBody();
  rows.forEach((cells, at) => body.insertRow().append(...[String(from + at + 1), ...cells].map((cell) => make("td", cell))));
  return table;
}

function headCell(name: string): HTMLTableCellElement {
  const cell = make("th", name);
  cell.scope = "col";
  return cell;
}

const PAGE = 500;
