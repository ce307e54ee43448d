/** Shows two versions of a text, interleaved where they differ. */

import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { appearance, languageOf } from "./editor.ts";
import { make } from "../ui/dom.ts";
import { texts as common } from "../texts/common.ts";
import { texts } from "../texts/editor.ts";
import { phrases } from "../texts/phrases.ts";
import { visible } from "../ui/visible.ts";
import "./diff.css";

/** Draws the difference into `parent`; returns a function that removes it. The file's `name` determines the language. */
export function showDiff(parent: HTMLElement, name: string, before: string, after: string): () => void {
  const view = new EditorView({
    parent,
    doc: visible(after),
    extensions: [
      appearance,
      languageOf(name),
      EditorState.phrases.of(phrases),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ "aria-label": texts.changesOf({ name: visible(name) }), tabindex: "0" }),
      unifiedMergeView({ original: visible(before), mergeControls: false, gutter: true, collapseUnchanged: { margin: 3, minSize: 6 } }),
    ],
  });
  view.dom.classList.add("diff");
  return () => view.destroy();
}

/** Shows the difference in a dialog; resolves once it is closed. */
export function openDiff(title: string, before: string, after: string): Promise<void> {
  const dialog = make("dialog", "", "ask wide");
  const heading = make("h2", visible(title));
  heading.id = "diff-title";
  dialog.setAttribute("aria-labelledby", heading.id);
  const place = make("div", "", "diff-place");
  const close = make("button", common.close);
  close.addEventListener("click", () => dialog.close());
  const choices = make("div", "", "choices");
  choices.append(close);
  dialog.append(heading, place, choices);
  document.body.append(dialog);
  dialog.showModal();
  const release = showDiff(place, title.split(":")[0]!, before, after);
  return new Promise((resolve) => dialog.addEventListener("close", () => (release(), dialog.remove(), resolve())));
}
