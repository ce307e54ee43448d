/** The extension: puts its parts together, and gives each command its work. */

import { posix } from "node:path";
import * as vscode from "vscode";
import { type Board, Boards } from "./boards";
import { type Command, find } from "./command";
import { Debugging, TYPE } from "./debug";
import { Device } from "./device";
import { BoardFiles, directoryOf, FileTree, type Node, SCHEME, uri } from "./files";
import { Runner } from "./run";
import { Sharing } from "./sharing";
import { Tests } from "./tests";

/** A first program, for whoever comes from the walkthrough. */
const FIRST = 'import sys\n\nprint("Hello from", sys.platform)\n';

export function activate(context: vscode.ExtensionContext): void {
  const workbench = new Workbench(context);
  context.subscriptions.push(workbench);
  workbench.begin();
}

class Workbench implements vscode.Disposable {
  readonly #sharing = new Sharing();
  readonly #runner = new Runner();
  readonly #boards: Boards;
  readonly #files: BoardFiles;
  readonly #tree: FileTree;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.#boards = new Boards(() => this.#command(), context.workspaceState);
    this.#files = new BoardFiles((board) => this.#device(board));
    this.#tree = new FileTree(() => this.#boards.current?.address, (board) => this.#device(board), (files, target) => this.#upload(files, target));
  }

  begin(): void {
    const debugging = new Debugging((address) => this.#device(address));
    const tests = new Tests(() => this.#command(), () => this.#device());
    this.context.subscriptions.push(
      tests,
      vscode.window.registerTreeDataProvider("flylead.boards", this.#boards),
      vscode.window.createTreeView("flylead.files", { treeDataProvider: this.#tree, dragAndDropController: this.#tree }),
      vscode.workspace.registerFileSystemProvider(SCHEME, this.#files, { isCaseSensitive: true }),
      vscode.debug.registerDebugConfigurationProvider(TYPE, debugging),
      vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, debugging),
      this.#boards.onDidChangeTreeData(() => this.#refresh()),
      this.#files.onDidChangeFile(() => this.#tree.refresh()),
      // In a remote window the person's settings come after the extension has begun.
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration("flylead")) return;
        void this.#boards.look().catch(complain);
        tests.refresh();
      }),
    );
    this.#register();
    void this.#boards.look().catch(complain);
  }

  dispose(): void {
    this.#boards.dispose();
    this.#runner.dispose();
    this.#sharing.dispose();
  }

  #register(): void {
    this.#on("run", () => this.#run());
    this.#on("stop", () => this.#runner.stop());
    this.#on("debug", () => this.#debug());
    this.#on("terminal", (board?: Board) => this.#prompt(board));
    this.#on("choose", (board: Board) => this.#boards.choose(board));
    this.#on("refresh", () => this.#boards.look());
    this.#on("reset", async (board?: Board) => (await this.#device(board?.address)).reset());
    this.#on("mount", (folder?: vscode.Uri) => this.#inTerminal("Mount", (path) => ["mount", path], folder));
    this.#on("deploy", (folder?: vscode.Uri) => this.#inTerminal("Deploy", (path) => ["deploy", path], folder));
    this.#on("install", () => this.#install());
    this.#on("upload", (file?: vscode.Uri, all?: vscode.Uri[]) => this.#upload(all ?? [file ?? active().uri], undefined));
    this.#on("newFile", (node?: Node) => this.#create(node, "boot.py", (at) => vscode.workspace.fs.writeFile(at, new Uint8Array())));
    this.#on("newFolder", (node?: Node) => this.#create(node, "lib", (at) => vscode.workspace.fs.createDirectory(at)));
    this.#on("rename", (node: Node) => this.#rename(node));
    this.#on("delete", (node: Node) => this.#delete(node));
    this.#on("download", (node: Node) => this.#download(node));
    this.#on("openFolder", async () => openFolder(await this.#boards.require()));
    this.#on("firstProgram", async () => {
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "python", content: FIRST }));
    });
  }

  /** Registers a command whose errors are shown; one that the person gave up says nothing. */
  #on(name: string, work: (...values: any[]) => unknown): void {
    const safely = async (...values: unknown[]) => {
      try {
        await work(...values);
      } catch (error) {
        complain(error);
      }
    };
    this.context.subscriptions.push(vscode.commands.registerCommand(`flylead.${name}`, safely));
  }

  #command(): Promise<Command> {
    const setting = vscode.workspace.getConfiguration("flylead").get("command", "");
    return find(setting, this.context.extensionPath, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }

  /** The board at an address, or the one in use. */
  async #device(address?: string): Promise<Device> {
    const board = address ? this.#boards.at(address) : await this.#boards.require();
    return new Device(board, await this.#command(), this.#sharing).ready();
  }

  #refresh(): void {
    this.#tree.refresh();
    const board = this.#boards.current;
    if (board) this.#files.refresh(board.address);
  }

  async #run(): Promise<void> {
    await this.#runner.run(await this.#device(), active());
  }

  async #debug(): Promise<void> {
    const document = active();
    if (document.uri.scheme !== "file") throw new Error("Save the program on this computer first: the debugger reads it there.");
    const program = document.uri.fsPath;
    await vscode.debug.startDebugging(undefined, { type: TYPE, request: "launch", name: "Debug on board", program });
  }

  async #prompt(board?: Board): Promise<void> {
    const device = await this.#device(board?.address);
    const name = `Board ${device.board.name}`;
    const open = vscode.window.terminals.find((terminal) => terminal.name === name && terminal.exitStatus === undefined);
    (open ?? this.#terminal(device, name, ["repl"])).show();
  }

  #terminal(device: Device, name: string, words: readonly string[]): vscode.Terminal {
    return vscode.window.createTerminal({ name, shellPath: device.command.path, shellArgs: device.arguments(words), iconPath: new vscode.ThemeIcon("circuit-board") });
  }

  async #inTerminal(name: string, words: (path: string) => readonly string[], folder?: vscode.Uri): Promise<void> {
    const at = folder ?? vscode.workspace.workspaceFolders?.[0]?.uri;
    if (at?.scheme !== "file") throw new Error("Open the folder of your program first.");
    this.#terminal(await this.#device(), name, words(at.fsPath)).show();
  }

  async #install(): Promise<void> {
    const name = await vscode.window.showInputBox({ title: "Package to install", placeHolder: "umqtt.simple, github:owner/repository, or a folder" });
    if (!name) return;
    this.#terminal(await this.#device(), `Install ${name}`, ["install", name]).show();
  }

  /** Copies files into the directory of a node, or else into the board's current one. */
  async #upload(files: readonly vscode.Uri[], target: Node | undefined): Promise<void> {
    if (files.length === 0) return;
    const device = await this.#device(target?.board);
    const title = `Copying ${files.length === 1 ? posix.basename(files[0]?.path ?? "") : `${files.length} files`} to the board`;
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => device.upload(files.map((file) => file.fsPath), target ? directoryOf(target) : ""));
    this.#refresh();
  }

  async #create(node: Node | undefined, example: string, make: (at: vscode.Uri) => Thenable<void>): Promise<void> {
    const name = await vscode.window.showInputBox({ title: `Name in ${directoryOf(node)} of the board`, placeHolder: example });
    if (!name) return;
    const board = node?.board ?? (await this.#boards.require()).address;
    const at = uri(board, posix.join(directoryOf(node), name));
    if (await exists(at)) throw new Error(`${at.path} is on the board already.`);
    await make(at);
    if (example.endsWith(".py")) await vscode.window.showTextDocument(at);
  }

  async #rename(node: Node): Promise<void> {
    const name = await vscode.window.showInputBox({ title: `New name of ${node.path}`, value: posix.basename(node.path) });
    if (!name) return;
    const to = uri(node.board, posix.join(posix.dirname(node.path), name));
    await vscode.workspace.fs.rename(uri(node.board, node.path), to);
  }

  async #delete(node: Node): Promise<void> {
    const what = node.isDirectory ? `${node.path} and everything in it` : node.path;
    const answer = await vscode.window.showWarningMessage(`Delete ${what} from the board?`, { modal: true, detail: "It cannot be brought back." }, "Delete");
    if (answer === "Delete") await vscode.workspace.fs.delete(uri(node.board, node.path), { recursive: true });
  }

  async #download(node: Node): Promise<void> {
    const [folder] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Copy here" })) ?? [];
    if (folder) await (await this.#device(node.board)).download(node.path, folder.fsPath);
  }
}

function active(): vscode.TextDocument {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) throw new Error("Open a Python file first.");
  return document;
}

async function exists(at: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(at);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return false;
    throw error;
  }
}

function openFolder(board: Board): void {
  const at = vscode.workspace.workspaceFolders?.length ?? 0;
  vscode.workspace.updateWorkspaceFolders(at, 0, { uri: uri(board.address, "/"), name: `Board ${board.name}` });
}

function complain(error: unknown): void {
  if (error instanceof vscode.CancellationError) return;
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}
