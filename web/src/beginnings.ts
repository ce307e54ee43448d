/** What a program begins with: nothing, a file, an example. None of them takes the place of somebody's work. */

import type { Document } from "./document.ts";
import type { Documents } from "./documents.ts";
import { element } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { example, EXAMPLES, isExample } from "./examples.ts";
import type { FilesBesideEditor } from "./files.ts";
import { nameOf } from "./files/place.ts";
import { showGuide } from "./guide/cures.ts";
import { texts } from "./texts/program.ts";
import { showError } from "./toast.ts";

export interface BeginningsOptions {
  editor: Promise<Editor>;
  documents: Documents;
  files: FilesBesideEditor;
  /** What an earlier run has left on the page goes. */
  forget: () => Promise<void>;
}

export function offerBeginnings({ editor, documents, files, forget }: BeginningsOptions): void {
  const select = element<HTMLSelectElement>("begin");
  element("examples").append(...EXAMPLES.map((file) => new Option(texts.examples[file], file)));
  select.addEventListener("change", () => {
    const chosen = select.value;
    select.value = "";
    void begin(chosen).catch(showError);
  });

  async function begin(chosen: string): Promise<void> {
    if (chosen === "open") return files.openOnComputer();
    if (chosen === "save") return files.saveOnComputer();
    if (chosen === "guide") return showGuide();
    if (chosen === "share") return share(documents.current);
    const text = (await example(chosen)) ?? "";
    await forget();
    if (await isUntouched(documents.current)) (await editor).replace(text);
    else await documents.begin(text);
    (await editor).focus();
  }
}

async function share({ where, name, text }: Document): Promise<void> {
  await (await import("./share.ts")).openShare({ name: where ? nameOf(where.path) : name, text });
}

/** Whether there is nothing of the person's in a document. */
async function isUntouched({ where, name, text }: Document): Promise<boolean> {
  return !where && name === undefined && (text.trim() === "" || (await isExample(text)));
}
