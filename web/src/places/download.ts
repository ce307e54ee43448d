/** Downloads files from the page: one as it is, a folder as a zip file. */

import { make } from "../ui/dom.ts";

export function download(name: string, content: Uint8Array<ArrayBuffer> | File): void {
  const link = make("a");
  link.href = URL.createObjectURL(content instanceof File ? content : new Blob([content]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}

/** Downloads `files`, by their paths inside the zip file. */
export async function downloadFolder(name: string, files: Record<string, Uint8Array<ArrayBuffer>>): Promise<void> {
  const { zipSync } = await import("fflate");
  download(`${name}.zip`, zipSync(files));
}

/** Time to keep a download's content: a browser reads it soon after the click, not immediately. */
const KEEP_MS = 60_000;
