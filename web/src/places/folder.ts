/** A local folder that the user picked. */

import { unlessDismissed } from "./computer.ts";
import { texts } from "../texts/tools/files.ts";
import { type Entry, join, nameOf, type NewFile, parentOf, type Place, ROOT, sorted, type Watch } from "./place.ts";

/** Returns true if this browser supports working in a folder. */
export function hasFolders(): boolean {
  return "showDirectoryPicker" in window;
}

/** Local folder, and the browser's handle for it. */
export interface FolderPlace extends Place {
  readonly handle: FileSystemDirectoryHandle;
}

/** Asks for a folder; `undefined` if the user cancels. */
export async function pickFolder(): Promise<FolderPlace | undefined> {
  const handle = await pickHandle();
  return handle && folderPlace(handle);
}

/** Asks for a folder, and returns its handle, which can be stored. */
export function pickHandle(): Promise<FileSystemDirectoryHandle | undefined> {
  return unlessDismissed(window.showDirectoryPicker({ mode: "readwrite" }));
}

export function folderPlace(root: FileSystemDirectoryHandle): FolderPlace {
  return {
    handle: root,
    name: root.name || "folder",
    kind: "computer",
    // A browser reveals no more about a folder.
    identify: async () => `folder:${root.name}`,
    list: async (path) => sorted(await list(await directory(root, path), path)),
    walk: (path) => walk(root, path),
    read: async (path) => content(await fileHandle(root, path)),
    peek: (path) => peek(root, path),
    write: (path, bytes) => write(root, path, bytes),
    writeAll: (files, watch) => writeAll(root, files, watch),
    makeDirectory: async (path) => void (await directory(root, path, true)),
    rename: (from, to, kind) => rename(root, from, to, kind),
    remove: async (path, kind) => (await directory(root, parentOf(path))).removeEntry(nameOf(path), { recursive: kind === "directory" }),
    space: async () => undefined,
  };
}

async function list(folder: FileSystemDirectoryHandle, path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const handle of folder.values()) {
    const size = handle.kind === "file" ? (await handle.getFile()).size : 0;
    entries.push({ name: handle.name, kind: handle.kind, size, path: join(path, handle.name) });
  }
  return entries;
}

async function walk(root: FileSystemDirectoryHandle, path: string): Promise<Entry[]> {
  const files: Entry[] = [];
  for (const entry of await list(await directory(root, path), path)) {
    if (entry.kind === "file") files.push(entry);
    else files.push(...(await walk(root, entry.path)));
  }
  return files;
}

async function write(root: FileSystemDirectoryHandle, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const handle = await (await directory(root, parentOf(path), true)).getFileHandle(nameOf(path), { create: true });
  // The browser writes to a temporary file, which finally replaces the old one.
  const stream = await handle.createWritable();
  await stream.write(bytes);
  await stream.close();
}

async function writeAll(root: FileSystemDirectoryHandle, files: NewFile[], { progress, signal }: Watch = {}): Promise<void> {
  const total = files.reduce((sum, { content }) => sum + content.length, 0);
  let done = 0;
  for (const { path, content } of files) {
    signal?.throwIfAborted();
    await write(root, path, content);
    progress?.({ done: (done += content.length), total });
  }
}

async function peek(root: FileSystemDirectoryHandle, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await content(await fileHandle(root, path));
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

/** Renames an entry. Browsers cannot rename folders, so files are moved one by one, and the old ones are removed last. */
async function rename(root: FileSystemDirectoryHandle, from: string, to: string, kind: Entry["kind"]): Promise<void> {
  if ((await peekKind(root, to)) !== undefined) throw new Error(texts.isThere({ path: to }));
  const paths = kind === "file" ? [from] : (await walk(root, from)).map(({ path }) => path);
  if (kind === "directory") await directory(root, to, true);
  for (const path of paths) await write(root, to + path.slice(from.length), await content(await fileHandle(root, path)));
  await (await directory(root, parentOf(from))).removeEntry(nameOf(from), { recursive: kind === "directory" });
}

async function peekKind(root: FileSystemDirectoryHandle, path: string): Promise<Entry["kind"] | undefined> {
  return (await list(await directory(root, parentOf(path)), parentOf(path))).find((entry) => entry.path === path)?.kind;
}

async function content(handle: FileSystemFileHandle): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await handle.getFile()).arrayBuffer());
}

async function fileHandle(root: FileSystemDirectoryHandle, path: string): Promise<FileSystemFileHandle> {
  return (await directory(root, parentOf(path))).getFileHandle(nameOf(path));
}

async function directory(root: FileSystemDirectoryHandle, path: string, create = false): Promise<FileSystemDirectoryHandle> {
  let folder = root;
  if (path === ROOT) return folder;
  for (const name of path.slice(1).split("/")) folder = await folder.getDirectoryHandle(name, { create });
  return folder;
}

declare global {
  interface Window {
    showDirectoryPicker(options: { mode: "readwrite" }): Promise<FileSystemDirectoryHandle>;
  }
}
