/** The boards' files as a file system of the editor (`flylead://BOARD/path`), and as a view. */

import * as vscode from "vscode";
import { basename, dirname, fromHex, join, toHex } from "./paths";
import type { Entry, Fault, Storage } from "./storage";

export const SCHEME = "flylead";

/** Address of a path on a board, which stays that board's when another one is chosen. An authority has no case: the board's own address is in hexadecimal. */
export function uri(board: string, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, authority: toHex(board), path });
}

/** Address of the board that a file is on. */
function boardOf(at: vscode.Uri): string {
  return fromHex(at.authority);
}

/** Reads and writes what editors, the explorer and other extensions ask for. */
export class BoardFiles implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(
    private readonly device: (board: string) => Promise<Storage>,
    private readonly fault: Fault,
  ) {}

  /** Others change a board's files without telling; views are read again when one asks. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  async stat(at: vscode.Uri): Promise<vscode.FileStat> {
    if (at.path === "/") return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const entry = await this.#ask(at, (device) => device.stat(at.path));
    const modified = (entry.modified ?? 0) * 1000;
    return { type: kind(entry), ctime: modified, mtime: modified, size: entry.size };
  }

  async readDirectory(at: vscode.Uri): Promise<[string, vscode.FileType][]> {
    const entries = await this.#ask(at, (device) => device.list(at.path));
    return entries.map((entry) => [entry.name, kind(entry)]);
  }

  readFile(at: vscode.Uri): Promise<Uint8Array> {
    return this.#ask(at, (device) => device.read(at.path));
  }

  async writeFile(at: vscode.Uri, content: Uint8Array, options: { create: boolean; overwrite: boolean }): Promise<void> {
    const exists = await this.#exists(at);
    if (exists && !options.overwrite) throw vscode.FileSystemError.FileExists(at);
    if (!exists && !options.create) throw vscode.FileSystemError.FileNotFound(at);
    await this.#ask(at, (device) => device.write(at.path, content));
    this.#tell(at, exists ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created);
  }

  async createDirectory(at: vscode.Uri): Promise<void> {
    await this.#ask(at, (device) => device.makeDirectory(at.path));
    this.#tell(at, vscode.FileChangeType.Created);
  }

  async delete(at: vscode.Uri, { recursive }: { recursive: boolean }): Promise<void> {
    if (!recursive && (await this.stat(at)).type === vscode.FileType.Directory && (await this.readDirectory(at)).length > 0) {
      throw vscode.FileSystemError.NoPermissions(`${at.path} is not empty`);
    }
    await this.#ask(at, (device) => device.remove(at.path));
    this.#tell(at, vscode.FileChangeType.Deleted);
  }

  async rename(from: vscode.Uri, to: vscode.Uri, { overwrite }: { overwrite: boolean }): Promise<void> {
    const exists = await this.#exists(to);
    if (exists && !overwrite) throw vscode.FileSystemError.FileExists(to);
    await this.#ask(to, (device) => (exists ? replace(device, from.path, to.path) : device.rename(from.path, to.path)));
    this.#tell(from, vscode.FileChangeType.Deleted);
    this.#tell(to, vscode.FileChangeType.Created);
  }

  /** Tells editors and views that anything on a board may have changed. */
  refresh(board: string): void {
    this.#tell(uri(board, "/"), vscode.FileChangeType.Changed);
  }

  async #exists(at: vscode.Uri): Promise<boolean> {
    try {
      await this.stat(at);
      return true;
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return false;
      throw error;
    }
  }

  async #ask<T>(at: vscode.Uri, request: (device: Storage) => Promise<T>): Promise<T> {
    try {
      return await request(await this.device(boardOf(at)));
    } catch (error) {
      throw this.#translated(error, at);
    }
  }

  /** Returns the editor's error for a refused request. */
  #translated(error: unknown, at: vscode.Uri): unknown {
    const fault = this.fault(error);
    const message = error instanceof Error ? error.message : String(error);
    if (fault === "missing") return vscode.FileSystemError.FileNotFound(at);
    if (fault === "away") return vscode.FileSystemError.Unavailable(message);
    return fault === "refused" ? vscode.FileSystemError.NoPermissions(message) : error;
  }

  #tell(at: vscode.Uri, type: vscode.FileChangeType): void {
    this.#changed.fire([{ uri: at, type }]);
  }
}

/** Renames over a file that is there, which not every file system of a board can; the old one goes when the new one has come. */
async function replace(device: Storage, from: string, to: string): Promise<void> {
  const aside = await unused(device, to);
  await device.rename(to, aside);
  try {
    await device.rename(from, to);
  } catch (error) {
    await device.rename(aside, to);
    throw error;
  }
  await device.remove(aside);
}

/** A name beside a file that nothing has. */
async function unused(device: Storage, path: string): Promise<string> {
  const taken = new Set((await device.list(dirname(path))).map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = `${path}.old${number}`;
    if (!taken.has(basename(name))) return name;
  }
}

function kind(entry: Entry): vscode.FileType {
  return entry.kind === "directory" ? vscode.FileType.Directory : vscode.FileType.File;
}

/** A file or directory of the view. */
export interface Node {
  /** Address of the board that it is on. */
  readonly board: string;
  readonly path: string;
  readonly isDirectory: boolean;
}

/** The view of the board's files; files and folders of this computer are dropped onto it. */
export class FileTree implements vscode.TreeDataProvider<Node>, vscode.TreeDragAndDropController<Node> {
  readonly dropMimeTypes = ["text/uri-list"];
  readonly dragMimeTypes = [];
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly current: () => string | undefined,
    private readonly device: (board: string) => Promise<Storage>,
    private readonly upload: (files: readonly vscode.Uri[], target: Node | undefined) => Promise<void>,
  ) {}

  refresh(): void {
    this.#changed.fire();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const board = node?.board ?? this.current();
    if (!board) return [];
    const path = node?.path ?? "/";
    const entries = await (await this.device(board)).list(path);
    const nodes = entries.map(({ name, kind }) => ({ board, path: join(path, name), isDirectory: kind === "directory" }));
    return nodes.sort((a, b) => Number(b.isDirectory) - Number(a.isDirectory) || a.path.localeCompare(b.path));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const at = uri(node.board, node.path);
    const item = new vscode.TreeItem(at, node.isDirectory ? Collapsed : None);
    item.contextValue = node.isDirectory ? "folder" : "file";
    if (!node.isDirectory) item.command = { command: "vscode.open", title: "Open", arguments: [at] };
    return item;
  }

  async handleDrop(target: Node | undefined, transfer: vscode.DataTransfer): Promise<void> {
    const list = await transfer.get("text/uri-list")?.asString();
    const files = (list ?? "").split(/\r?\n/).filter(Boolean).map((line) => vscode.Uri.parse(line, true));
    await this.upload(files.filter((file) => file.scheme === "file"), target);
  }
}

/** The directory in which something new is put. */
export function directoryOf(node: Node | undefined): string {
  if (!node) return "/";
  return node.isDirectory ? node.path : dirname(node.path);
}
