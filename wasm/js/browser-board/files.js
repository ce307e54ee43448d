// The board's files, which live in the interpreter's memory and must outlive it. A snapshot maps absolute paths to
// bytes, and to `null` for a folder.

import { MACHINE_FOLDERS } from "./machine.js";

const SCRATCH = "/tmp/_watched";

/**
 * Watches an Emscripten file system through its own operations, at a cost that depends on the changes rather than on
 * the content (MEMFS has one table of operations for all files: emscripten/src/lib/libmemfs.js, `ops_table`).
 */
export class FileWatch {
  #fs;
  /** State already reported: the node at a path, and `null` for a folder. */
  #known;
  /** First byte of each file that was not reported yet. */
  #changedFrom = new Map();

  /** Counts everything in `fs` as reported. */
  constructor(fs) {
    this.#fs = fs;
    this.#known = new Map(nodes(fs));
    fs.writeFile(SCRATCH, "");
    const { node_ops, stream_ops } = fs.lookupPath(SCRATCH).node;
    fs.unlink(SCRATCH);
    const { write } = stream_ops;
    stream_ops.write = (stream, buffer, offset, length, position, canOwn) => {
      this.#note(stream.node, position);
      return write(stream, buffer, offset, length, position, canOwn);
    };
    const { setattr } = node_ops;
    node_ops.setattr = (node, attributes) => {
      if (attributes.size !== undefined) this.#note(node, attributes.size);
      return setattr(node, attributes);
    };
  }

  #note(node, position) {
    const from = this.#changedFrom.get(node) ?? Infinity;
    this.#changedFrom.set(node, Math.min(from, position, node.usedBytes));
  }

  /**
   * Returns the changes since the last call; `undefined` if there are none. A changed file has its
   * bytes after `from`.
   */
  changes() {
    const now = new Map(nodes(this.#fs));
    const changed = [];
    for (const [path, node] of now) {
      const from = this.#known.get(path) === node ? this.#changedFrom.get(node) : 0;
      if (node === null ? this.#known.get(path) !== null : from !== undefined) changed.push([path, partOf(node, from)]);
    }
    const removed = [...this.#known.keys()].filter((path) => !now.has(path));
    this.#known = now;
    this.#changedFrom.clear();
    return changed.length + removed.length > 0 ? { changed, removed } : undefined;
  }
}

/** Copies the content, as it leaves the worker. */
function partOf(node, from) {
  return node && { from, bytes: contentOf(node).slice(from) };
}

/** Updates a snapshot with changes. Bytes that it already contains are not modified. */
export function apply(files, { changed, removed }) {
  for (const path of removed) files.delete(path);
  for (const [path, part] of changed) files.set(path, part && joined(files.get(path), part));
}

/** Extends a growing file without copying it each time: its buffer has spare space. */
function joined(old, { from, bytes }) {
  const length = from + bytes.length;
  const grows = old && from > 0 && from === old.length;
  const hasRoom = grows && old.buffer.byteLength >= length;
  const buffer = hasRoom ? old.buffer : new ArrayBuffer(grows ? 2 * length : length);
  const whole = new Uint8Array(buffer, 0, length);
  if (!hasRoom && from > 0) whole.set(old.subarray(0, from));
  whole.set(bytes, from);
  return whole;
}

/** Takes a snapshot of a file system. */
export function snapshotOf(fs) {
  return new Map(nodes(fs).map(([path, node]) => [path, node && contentOf(node).slice()]));
}

/**
 * Maximum length of a file name, in bytes, as on any computer: the interpreter truncates longer names when it lists a
 * folder, and then finds none of those files.
 */
const LONGEST_NAME = 255;
/** WASI's code (preview 1). */
const ENAMETOOLONG = 37;

/**
 * Refuses names that could be created but not listed, and makes each folder list the others. (MEMFS has one table of
 * operations for all folders.)
 */
export function limitNames(fs) {
  const root = fs.lookupPath("/").node;
  const operations = root.node_ops;
  const { mknod, rename, symlink } = operations;
  const check = (name) => {
    if (new TextEncoder().encode(name).length > LONGEST_NAME) throw new fs.ErrnoError(ENAMETOOLONG);
  };
  // A folder is an object whose properties are its files; `__proto__` would not be one of them.
  const bare = (node) => (fs.isDir(node.mode) && (node.contents = Object.assign(Object.create(null), node.contents)), node);
  bare(root);
  operations.mknod = (parent, name, mode, device) => (check(name), bare(mknod(parent, name, mode, device)));
  operations.rename = (node, folder, name) => (check(name), rename(node, folder, name));
  operations.symlink = (parent, name, target) => (check(name), symlink(parent, name, target));
}

/** Maximum total size of the files, in bytes: the flash of a large ESP32. */
export const DISK = 16 * 1024 * 1024;
const BLOCK = 4096;
/** WASI's code (preview 1). */
const ENOSPC = 51;

/**
 * Lets files grow to `wanted` bytes in total and no further. If they already exceed that, the limit is {@link DISK},
 * because an editor empties a file before it rewrites it; files beyond that limit stay, and can be removed.
 */
export function limitSpace(fs, wanted = DISK) {
  // Files of the machine itself, which are not the user's.
  const own = sizeOf(fs, fs.lookupPath("/dev").node);
  const disk = sizeOf(fs) - own > wanted ? DISK : wanted;
  const left = () => Math.max(0, disk + own - sizeOf(fs));
  // Recounted only when the space seems to be used up: removals meanwhile free more than is known.
  let known = left();
  const take = (bytes) => {
    if (bytes > known && bytes > (known = left())) throw new fs.ErrnoError(ENOSPC);
    known -= Math.max(0, bytes);
  };
  fs.writeFile(SCRATCH, "");
  const { node_ops, stream_ops } = fs.lookupPath(SCRATCH).node;
  fs.unlink(SCRATCH);
  const { write } = stream_ops;
  stream_ops.write = (stream, buffer, offset, length, position, canOwn) => {
    take(position + length - stream.node.usedBytes);
    return write(stream, buffer, offset, length, position, canOwn);
  };
  const { setattr } = node_ops;
  node_ops.setattr = (node, attributes) => {
    if (attributes.size !== undefined) take(attributes.size - node.usedBytes);
    return setattr(node, attributes);
  };
  const statfs = () => {
    const free = Math.floor(left() / BLOCK);
    return { bsize: BLOCK, frsize: BLOCK, blocks: disk / BLOCK, bfree: free, bavail: free };
  };
  for (const operations of [node_ops, fs.lookupPath("/").node.node_ops]) operations.statfs = statfs;
}

/** Returns the total size of all files except devices, in bytes. */
function sizeOf(fs, folder = fs.lookupPath("/").node) {
  let size = 0;
  for (const node of Object.values(folder.contents)) {
    if (fs.isDir(node.mode)) size += sizeOf(fs, node);
    else if (fs.isFile(node.mode)) size += node.usedBytes;
  }
  return size;
}

/** Shortens all names of a path: a snapshot may be older than {@link limitNames}. */
function shortened(path) {
  const cut = (name) => {
    let short = name;
    while (new TextEncoder().encode(short).length > LONGEST_NAME) short = [...short].slice(0, -1).join("");
    return short;
  };
  return path.split("/").map(cut).join("/");
}

/** Puts a snapshot into a new, empty file system. */
export function restore(fs, files) {
  for (const [name, bytes] of files) {
    const path = shortened(name);
    fs.mkdirTree(bytes === null ? path : path.slice(0, path.lastIndexOf("/")) || "/");
    if (bytes !== null) fs.writeFile(path, bytes);
  }
}

/** Applies changes to a file system with files of its own: whatever obstructs a change stays, and the change is skipped. */
export function merge(fs, { changed, removed }) {
  const attempt = (work) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof fs.ErrnoError)) throw error;
    }
  };
  // A folder's content is removed before the folder.
  for (const path of removed.toSorted().reverse()) {
    attempt(() => (fs.isDir(fs.lookupPath(path).node.mode) ? fs.rmdir(path) : fs.unlink(path)));
  }
  for (const change of changed) attempt(() => restore(fs, [change]));
}

/** Lists files and folders by their paths: a node for a file, `null` for a folder. */
function nodes(fs, folder = fs.lookupPath("/").node, above = "") {
  const found = [];
  for (const [name, node] of Object.entries(folder.contents)) {
    const path = `${above}/${name}`;
    if (MACHINE_FOLDERS.has(path)) continue;
    if (fs.isDir(node.mode)) found.push([path, null], ...nodes(fs, node, path));
    else if (fs.isFile(node.mode)) found.push([path, node]);
  }
  return found;
}

/**
 * Returns a node's bytes without copying: `contents` has spare space, may consist of signed bytes, and is missing in an
 * empty file.
 */
function contentOf({ contents, usedBytes }) {
  return contents ? new Uint8Array(contents.buffer, contents.byteOffset, usedBytes) : new Uint8Array();
}
