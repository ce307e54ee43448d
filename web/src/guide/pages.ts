/** Pages of the guide, in the order of their likely use. */

import agent from "../../../docs/guide/agent.md";
import classroom from "../../../docs/guide/class.md";
import debugging from "../../../docs/guide/debugging.md";
import experiments from "../../../docs/guide/experiments.md";
import files from "../../../docs/guide/files.md";
import firstBoard from "../../../docs/guide/first-board.md";
import packages from "../../../docs/guide/packages.md";
import plot from "../../../docs/guide/plot.md";
import severalBoards from "../../../docs/guide/several-boards.md";
import troubleshooting from "../../../docs/guide/troubleshooting.md";
import zylisp from "../../../docs/guide/zylisp.md";

/** HTML of the pages, by their names in links. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ["first-board", firstBoard],
  ["files", files],
  ["packages", packages],
  ["debugging", debugging],
  ["plot", plot],
  ["experiments", experiments],
  ["agent", agent],
  ["several-boards", severalBoards],
  ["class", classroom],
  ["zylisp", zylisp],
  ["troubleshooting", troubleshooting],
]);

/** Returns a page's own heading. */
export function titleOf(html: string): string {
  return /<h2[^>]*>(.*?)<\/h2>/.exec(html)?.[1] ?? "";
}
