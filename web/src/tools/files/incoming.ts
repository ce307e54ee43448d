/** Files from the user: selected or dropped, alone or in folders. */

export interface Incoming {
  /** Path below the target, such as `lib/a.py`. */
  path: string;
  file: File;
}

/** Returns the files selected in a file field; those of a selected folder are prefixed with its name. */
export function chosen(files: Iterable<File>): Incoming[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/**
 * Returns the dropped files, including those inside of folders. Call it synchronously in the drop event: the data is
 * gone later.
 */
export function dropped(transfer: DataTransfer): Promise<Incoming[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return flat(entries.map((entry) => inside(entry, "")));
}

async function inside(entry: FileSystemEntry, above: string): Promise<Incoming[]> {
  const path = above + entry.name;
  if (isFile(entry)) return [{ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const children = await allOf((entry as FileSystemDirectoryEntry).createReader());
  return flat(children.map((child) => inside(child, `${path}/`)));
}

/** Reads all entries; a reader returns a hundred at a time. */
async function allOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function flat(lists: Promise<Incoming[]>[]): Promise<Incoming[]> {
  return (await Promise.all(lists)).flat();
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
