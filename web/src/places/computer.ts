/** Single local files, for programs that need neither a board nor a folder. */

import { make } from "../ui/dom.ts";
import { download } from "./download.ts";
import { locale } from "../texts/index.ts";
import { texts } from "../texts/program.ts";

/** Opens a text file that the user picks; `undefined` if they pick none. */
export async function openFromComputer(): Promise<{ name: string; text: string } | undefined> {
  const file = await pickFile();
  if (!file) return undefined;
  if (file.size > LARGEST) throw new Error(texts.tooLarge({ name: file.name, size: file.size.toLocaleString(locale), most: LARGEST.toLocaleString(locale) }));
  try {
    return { name: file.name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer()) };
  } catch {
    throw new Error(texts.noText({ name: file.name }));
  }
}

/** Lets the user pick a file with a file field, which works in every browser. Cancelling the dialog is a separate event. */
function pickFile(): Promise<File | undefined> {
  const field = make("input");
  field.type = "file";
  return new Promise((resolve) => {
    field.addEventListener("change", () => resolve(field.files?.[0]));
    field.addEventListener("cancel", () => resolve(undefined));
    field.click();
  });
}

/**
 * Saves where the user chooses, or to the downloads of a browser that does not ask. Returns the name, unless the user
 * cancels.
 */
export async function saveToComputer(name: string, text: string): Promise<string | undefined> {
  const content = new TextEncoder().encode(text);
  if (!window.showSaveFilePicker) {
    download(name, content);
    return name;
  }
  const handle = await unlessDismissed(window.showSaveFilePicker({ suggestedName: name }));
  if (!handle) return undefined;
  const stream = await handle.createWritable();
  await stream.write(content);
  await stream.close();
  return handle.name;
}

/** Returns the person's choice; `undefined` when they dismiss the dialog (File System Access, "AbortError"). */
export async function unlessDismissed<T>(picking: Promise<T>): Promise<T | undefined> {
  try {
    return await picking;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined;
    throw error;
  }
}

declare global {
  interface Window {
    /** Missing in Firefox and Safari (https://developer.mozilla.org/docs/Web/API/Window/showSaveFilePicker). */
    showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;
  }
}

/** Size limit in bytes: larger than any program, and still scrollable in the editor. */
const LARGEST = 4_000_000;
