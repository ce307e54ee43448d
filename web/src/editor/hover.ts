/** Shows the value of the expression under the pointer while the program is stopped. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { make } from "../ui/dom.ts";

/** Returns the current value of an expression; `undefined` if it is unknown. */
export type ValueOf = (expression: string) => Promise<string | undefined>;

export function hover(valueOf: ValueOf): Extension {
  return hoverTooltip(async ({ state }, at, side) => {
    const found = expressionAt(state, at, side);
    const value = found && (await valueOf(found.text));
    if (!found || value === undefined) return null;
    return { pos: found.from, end: found.to, above: true, create: () => ({ dom: make("div", `${found.text} = ${value}`, "value-tooltip") }) };
  });
}

/** Returns the name or the attribute at a position, with the object of the attribute. Inspecting it calls nothing. */
function expressionAt(state: EditorState, at: number, side: -1 | 1): { from: number; to: number; text: string } | undefined {
  let node = syntaxTree(state).resolveInner(at, side);
  if (node.name === "PropertyName" && node.parent?.name === "MemberExpression") node = node.parent;
  else if (node.name !== "VariableName") return undefined;
  const { from, to } = node;
  const text = state.sliceDoc(from, to);
  return text.includes("(") || text.includes("\n") ? undefined : { from, to, text };
}
