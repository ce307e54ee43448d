/** A file that is written as a log arrives, completely or not at all. */

import { unlessDismissed } from "../../places/computer.ts";
import { download } from "../../places/download.ts";

export interface Sink {
  /** Final name of the file. */
  readonly name: string;
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Completes the file. */
  close(): Promise<void>;
  /** Discards the file. */
  abort(): Promise<void>;
}

/** Opens a file that the user picks, or a download in a browser that cannot let them. `undefined` if the user cancels. */
export async function openSink(name: string): Promise<Sink | undefined> {
  if (!window.showSaveFilePicker) return openDownload(name);
  const picked = await unlessDismissed(window.showSaveFilePicker({ suggestedName: name }));
  // Data goes to a temporary file until it is closed (https://fs.spec.whatwg.org/, FileSystemWritableFileStream).
  return picked && sinkInto(picked.name, await picked.createWritable(), async () => {});
}

/** Opens a download. The log is on the browser's own disk until then, so that no part of it waits in memory. */
async function openDownload(name: string): Promise<Sink> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(PART).catch(() => undefined); // Of an export before.
  const part = await root.getFileHandle(PART, { create: true });
  return sinkInto(name, await part.createWritable(), async () => download(name, await part.getFile()));
}

function sinkInto(name: string, stream: FileSystemWritableFileStream, whole: () => Promise<void>): Sink {
  return {
    name,
    write: (bytes) => stream.write(bytes),
    close: async () => (await stream.close(), whole()),
    abort: () => stream.abort().catch(() => undefined),
  };
}

const PART = "export.part";
