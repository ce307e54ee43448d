// The board's files, which live in the interpreter's memory and must outlive it. A snapshot maps absolute paths to
// bytes, and to `null` for a folder.

const NOT_FILES = new Set(["/dev", "/proc", "/tmp", "/home"]);

/** What has changed in `fs` since `known`, which is brought up to date. `undefined` for nothing. */
export function changes(fs, known) {
  const now = new Map(walk(fs, "/"));
  const changed = [...now].filter(([path, bytes]) => !same(bytes, known.get(path)));
  const removed = [...known.keys()].filter((path) => !now.has(path));
  if (changed.length + removed.length === 0) return undefined;
  apply(known, { changed, removed });
  return { changed, removed };
}

/** Brings a snapshot up to date with changes. */
export function apply(files, { changed, removed }) {
  for (const path of removed) files.delete(path);
  for (const [path, bytes] of changed) files.set(path, bytes);
}

/** Puts a snapshot into a new, empty file system. */
export function restore(fs, files) {
  for (const [path, bytes] of files) {
    fs.mkdirTree(bytes === null ? path : path.slice(0, path.lastIndexOf("/")) || "/");
    if (bytes !== null) fs.writeFile(path, bytes);
  }
}

function* walk(fs, folder) {
  for (const name of fs.readdir(folder)) {
    const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
    if (name === "." || name === ".." || NOT_FILES.has(path)) continue;
    const { mode } = fs.lstat(path);
    if (fs.isDir(mode)) {
      yield [path, null];
      yield* walk(fs, path);
    } else if (fs.isFile(mode)) {
      yield [path, fs.readFile(path)];
    }
  }
}

function same(a, b) {
  if (a === b) return true;
  if (!a || !b || a.length !== b.length) return false;
  return a.every((byte, i) => byte === b[i]);
}
