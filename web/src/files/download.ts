/** Files on their way to the browser's downloads: one as it is, a folder as a zip file. */

import { make } from "../dom.ts";

export function download(name: string, content: Uint8Array<ArrayBuffer> | File): void {
  const link = make("a");
  link.href = URL.createObjectURL(content instanceof File ? content : new Blob([content]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEEP_MS);
}

/** `files` by their paths inside the zip file. */
export async function downloadFolder(name: string, files: Record<string, Uint8Array<ArrayBuffer>>): Promise<void> {
  const { zipSync } = await import("fflate");
  download(`${name}.zip`, zipSync(files));
}

/** A browser takes a download's content soon after the click, not at once. */
const KEEP_MS = 60_000;
