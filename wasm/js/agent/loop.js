// The agent's loop over any workspace: a folder that the person picked, a board, or files in memory. Every rule is in
// the WebAssembly; here are only the order of things and the two workspaces.

import { AgentTurn, judgePath, renderOutbox, showFiles } from "../../pkg/agent/flylead_wasm.js";

/** The message that waits to be pasted into a chat. */
export async function writeOutbox(session, workspace) {
  const files = await workspace.list();
  const requests = session.readFileRequests;
  const found = [];
  for (const request of requests) {
    const path = typeof request === "string" ? request : request.path;
    found.push((await workspace.read(path).catch(String)) ?? "not found");
  }
  const shown = files.slice(0, LISTED);
  const contents = showFiles(requests, found);
  return renderOutbox({ session, files: shown, moreFiles: files.length - shown.length, contents });
}

/** What a reply would do; nothing is done. */
export async function previewReply(session, reply, workspace, options) {
  const previews = [];
  const files = new Map();
  const read = async (path) => (files.has(path) ? files.get(path) : workspace.read(path));
  const look = {
    read,
    write: async (path, after) => void files.set(path, after),
    remove: async (path) => void files.set(path, undefined),
    run: async (command) => ({ success: true, summary: command }),
  };
  const note = (preview) => previews.push(preview);
  const { session: after } = await carryOut(session, reply, look, { ...options, approve: async () => true }, note);
  return { previews, results: after.lastResults };
}

/** Carries a reply out, once. */
export async function applyReply(session, reply, workspace, options = {}) {
  return carryOut(session, reply, workspace, options, () => {});
}

async function carryOut(session, reply, workspace, options, note) {
  const turn = new AgentTurn(session, reply, options);
  try {
    for (let task = turn.next(); task; task = turn.next()) {
      await WORK[task.kind](turn, task, workspace, options, note).catch((error) => turn.failed(said(error)));
    }
    const { messages } = turn;
    return { session: turn.end(), messages };
  } finally {
    turn.free();
  }
}

const WORK = {
  async read(turn, { path }, workspace) {
    const content = await workspace.read(path);
    if (content === undefined) turn.failed(`File '${path}' not found`);
    else turn.found(content);
  },

  async change(turn, { line, path, name }, workspace, { signal }, note) {
    const before = await workspace.read(path);
    signal?.throwIfAborted();
    const change = turn.change(before);
    if (change === undefined) return;
    note({ kind: "change", line, path, name, before, after: change.after, summary: change.summary });
    if (change.after === undefined) await workspace.remove(path);
    else await workspace.write(path, change.after);
    turn.changed();
  },

  async run(turn, { line, command }, workspace, { approve, signal }, note) {
    note({ kind: "run", line, command });
    if (!workspace.run) return turn.failed("there is no shell in this workspace; use the file commands");
    signal?.throwIfAborted();
    if (!(await approve?.(command))) return turn.failed(`'${command}' was not run: the person refused`);
    const { success, summary, output } = await workspace.run(command);
    turn.ran(success, summary, output);
  },
};

function said(error) {
  return error instanceof Error ? error.message : String(error);
}

/** A folder of this computer, from `showDirectoryPicker` or the origin's own file system. */
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

/** The folder that a path's file is in, and the file's name. */
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

/** A board's files below a directory; RUN_COMMAND runs Python on it. */
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

/** What can be read of a tree that cannot be read whole: the board in the page has folders of its own. */
async function walk(files, base, prefix) {
  const found = [];
  for (const { name, kind, size } of await files.list(base + prefix)) {
    found.push({ name: prefix + name, kind, size });
    if (kind === "directory" && !SYSTEM.has(base + prefix + name)) {
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
const SYSTEM = new Set(["/dev", "/proc", "/tmp", "/home"]);
const LISTED = 2000;
