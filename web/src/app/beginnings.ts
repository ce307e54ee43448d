/** Starts a program: an empty one, a file, an example. None replaces the user's work. */

import type { Document } from "../editor/documents/document.ts";
import type { Documents } from "../editor/documents/documents.ts";
import { element } from "../ui/dom.ts";
import type { Editor } from "../editor/editor.ts";
import { example, EXAMPLES, isExample } from "../editor/examples/examples.ts";
import type { FilesBesideEditor } from "../tools/files/files.ts";
import { nameOf } from "../places/place.ts";
import { showGuide } from "../guide/cures.ts";
import { texts } from "../texts/program.ts";
import { showError } from "../ui/toast.ts";

export interface BeginningsOptions {
  editor: Promise<Editor>;
  documents: Documents;
  files: FilesBesideEditor;
  /** Clears the traces of an earlier run. */
  forget: () => Promise<void>;
}

export function offerBeginnings({ editor, documents, files, forget }: BeginningsOptions): void {
  const select = element<HTMLSelectElement>("begin");
  const examples = element<HTMLSelectElement>("examples");
  examples.append(...EXAMPLES.map((file) => new Option(texts.examples[file], file)));
  for (const menu of [select, examples]) {
    menu.addEventListener("change", () => {
      const chosen = menu.value;
      menu.value = "";
      void begin(chosen).catch(showError);
    });
  }

  async function begin(chosen: string): Promise<void> {
    if (chosen === "open") return files.openOnComputer();
    if (chosen === "save") return files.saveOnComputer();
    if (chosen === "guide") return showGuide();
    if (chosen === "share") return share(documents.current);
    const text = (await example(chosen)) ?? "";
    const name = text === "" ? undefined : chosen;
    await forget();
    if (await isUntouched(documents.current)) {
      (await editor).replace(text);
      documents.call(documents.current, name);
    } else await documents.begin(text, name);
    (await editor).focus();
  }
}

async function share({ where, name, text }: Document): Promise<void> {
  await (await import("./share.ts")).openShare({ name: where ? nameOf(where.path) : name, text });
}

/** Returns true if a document contains none of the user's work. */
async function isUntouched({ where, name, text }: Document): Promise<boolean> {
  const isNameless = name === undefined || (EXAMPLES as readonly string[]).includes(name);
  return !where && isNameless && (text.trim() === "" || (await isExample(text)));
}
