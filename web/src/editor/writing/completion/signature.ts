/** The parameters of what is being called, while its arguments are written. */

import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { EditorView, showTooltip, type Tooltip } from "@codemirror/view";
import { make } from "../../../ui/dom.ts";
import type { Ask } from "../help.ts";

interface Help {
  signatures: { label: string; parameters?: { label: string | [number, number] }[]; activeParameter?: number }[];
  activeSignature?: number;
  activeParameter?: number;
}

export function signatures(ask: Ask): Extension {
  return [
    shown,
    EditorView.updateListener.of(({ view, state, docChanged, selectionSet, transactions }) => {
      const isCalling = docChanged && transactions.some((one) => one.isUserEvent("input")) && /[(,]\s?$/.test(before(state));
      if (isCalling || ((docChanged || selectionSet) && state.field(shown) !== null)) void show(view, ask);
    }),
  ];
}

async function show(view: EditorView, ask: Ask): Promise<void> {
  const { state } = view;
  const { head } = state.selection.main;
  const help = await ask<Help | null>(state, "textDocument/signatureHelp", head);
  if (view.state.doc !== state.doc || view.state.selection.main.head !== head) return;
  const tooltip = help && tooltipOf(help, head);
  if (tooltip || view.state.field(shown, false)) view.dispatch({ effects: put.of(tooltip ?? null) });
}

function before({ doc, selection }: EditorState): string {
  const { from, text } = doc.lineAt(selection.main.head);
  return text.slice(0, selection.main.head - from);
}

function tooltipOf({ signatures, activeSignature, activeParameter }: Help, pos: number): Tooltip | undefined {
  const signature = signatures[activeSignature ?? 0];
  if (!signature) return undefined;
  const label = signature.parameters?.[signature.activeParameter ?? activeParameter ?? -1]?.label;
  const [from, to] = typeof label === "string" ? [signature.label.indexOf(label), signature.label.indexOf(label) + label.length] : (label ?? [0, 0]);
  return { pos, above: true, create: () => ({ dom: draw(signature.label, from, to) }) };
}

function draw(label: string, from: number, to: number): HTMLElement {
  const dom = make("div", "", "about-name signature");
  dom.append(label.slice(0, from), make("strong", label.slice(from, to)), label.slice(to));
  return dom;
}

const put = StateEffect.define<Tooltip | null>();
const shown = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, { effects, changes }) {
    for (const effect of effects) if (effect.is(put)) return effect.value;
    return tooltip && { ...tooltip, pos: changes.mapPos(tooltip.pos) };
  },
  provide: (field) => showTooltip.from(field),
});
