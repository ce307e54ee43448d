// Workspaces of the agent: a folder that the user picked, or a board.

import { judgePath } from "../../pkg/agent/flylead_wasm.js";
import { MACHINE_FOLDERS } from "../browser-board/machine.js";

/** Creates a workspace from a local folder, from `showDirectoryPicker` or the origin's own file system. */
export function folderWorkspace(root) {
  return {
    list: async () => sorted(await listFolder(root, "")),
    read: async (path) => {
      const [folder, name] = await place(root, path, false);
      const file = await folder?.getFileHandle(name).catch(nothing);
      return file && new Uint8Array(await (await file.getFile()).arrayBuffer());
    },
    write: async (path, content) => {
      const [folder, name] = await place(root, path, true);
      const file = await folder.getFileHandle(name, { create: true });
      const writable = await file.createWritable(); // the file is the old one until this is closed
      await writable.write(content);
      await writable.close();
    },
    remove: async (path) => {
      const [folder, name] = await place(root, path, false);
      await folder.getFileHandle(name); // a folder is refused here
      await folder.removeEntry(name);
    },
  };
}

/** Finds the folder that contains a path's file, and the file's name. */
async function place(root, path, create) {
  const names = judgePath(path).split("/");
  const name = names.pop();
  let folder = root;
  for (const step of names) folder = await folder?.getDirectoryHandle(step, { create }).catch(create ? undefined : nothing);
  return [folder, name];
}

async function listFolder(folder, prefix) {
  const files = [];
  for await (const [name, handle] of folder.entries()) {
    const path = prefix + name;
    if (HIDDEN.has(name)) continue;
    if (handle.kind === "directory") files.push(...(await listFolder(handle, `${path}/`)));
    else files.push({ path, bytes: (await handle.getFile()).size });
  }
  return files;
}

/** Creates a workspace from a board's files below a directory; RUN_COMMAND runs Python on the board. */
export function boardWorkspace(board, { root = "/", timeout = 30_000 } = {}) {
  const base = root.endsWith("/") ? root : `${root}/`;
  const at = (path) => base + judgePath(path);
  return {
    list: async () => {
      const entries = await board.files.tree(root).catch(() => walk(board.files, base, ""));
      return sorted(entries.filter(({ kind }) => kind === "file").map(({ name, size }) => ({ path: name, bytes: size })));
    },
    read: (path) => board.files.read(at(path)).done.catch(missing),
    write: async (path, content) => {
      const folder = at(path).replace(/\/[^/]*$/, "");
      if (folder && folder !== root) await board.files.makeDirectory(folder, { parents: true });
      await board.files.write(at(path), content).done;
    },
    remove: (path) => board.files.remove(at(path)),
    run: (program) => runOnBoard(board, program, timeout),
  };
}

/** Reads the readable parts of a tree that cannot be read whole: the board in the page has folders of its own. */
async function walk(files, base, prefix) {
  const found = [];
  for (const { name, kind, size } of await files.list(base + prefix)) {
    found.push({ name: prefix + name, kind, size });
    if (kind === "directory" && !MACHINE_FOLDERS.has(base + prefix + name)) {
      found.push(...(await walk(files, base, `${prefix}${name}/`).catch(() => [])));
    }
  }
  return found;
}

async function runOnBoard(board, program, timeout) {
  try {
    const { stdout } = await board.exec(program, { timeout });
    return { success: true, summary: "Ran the program", output: stdout };
  } catch (error) {
    if (!(error instanceof Error) || !("stdout" in error)) throw error;
    const text = error.traceback?.text ?? "";
    const summary = error.name === "ProgramError" ? `The program raised ${error.message}` : error.message;
    return { success: false, summary, output: error.stdout + text };
  }
}

function missing(error) {
  if (error.name === "FileError" && error.kind === "notFound") return undefined;
  throw error;
}

function nothing(error) {
  if (error.name === "NotFoundError") return undefined;
  throw error;
}

function sorted(files) {
  return files.sort((one, other) => (one.path < other.path ? -1 : 1));
}

const HIDDEN = new Set([".git", ".flylead", "node_modules", "target", "__pycache__"]);
