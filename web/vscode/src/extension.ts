/** The extension: puts its parts together, and gives each command its work. */

import * as vscode from "vscode";
import { type Board, Boards } from "./boards";
import { type Command, find } from "./command";
import { active, complain, on, registerChecks, registerFileCommands, registerParts, saved } from "./commands";
import { Debugging } from "./debug";
import { Device, fault } from "./device";
import { BoardFiles, directoryOf, FileTree, type Node, SCHEME } from "./files";
import { flash } from "./flash";
import { TYPE } from "./launch";
import { basename } from "./paths";
import { registerPlot } from "./plot/view";
import { CommandProgram } from "./program";
import { Runner } from "./run";
import { Sharing } from "./sharing";
import { Tests } from "./tests";
import { Users } from "./users";

export function activate(context: vscode.ExtensionContext): void {
  const workbench = new Workbench(context);
  context.subscriptions.push(workbench);
  workbench.begin();
}

class Workbench implements vscode.Disposable {
  readonly #sharing = new Sharing();
  readonly #users = new Users();
  readonly #runner = new Runner();
  readonly #boards: Boards;
  readonly #files: BoardFiles;
  /** Folder that programs see. */
  #mounted: vscode.Uri | undefined;
  readonly #sign = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  readonly #tree: FileTree;
  readonly #rivals = {
    tool: async (address: string) => {
      await this.#boards.look();
      return this.#users.holder(address);
    },
    program: (address: string) => this.#runner.program(address),
  };

  constructor(private readonly context: vscode.ExtensionContext) {
    this.#boards = new Boards(async () => this.#users.look(await this.#command()), context.workspaceState, {
      words: (address) => this.#runner.activity(address) ?? this.#users.words(address),
      details: (address) => this.#users.details(address),
    });
    this.#files = new BoardFiles((board) => this.#device(board), fault);
    this.#tree = new FileTree(() => this.#boards.current?.address, (board) => this.#device(board), (files, target) => this.#upload(files, target));
  }

  begin(): void {
    const debugging = new Debugging((address) => this.#device(address));
    const tests = new Tests(() => this.#command(), () => this.#device());
    // Commands come before the views: a row that is shown can be clicked.
    this.#register();
    this.context.subscriptions.push(
      tests,
      vscode.window.registerTreeDataProvider("flylead.boards", this.#boards),
      vscode.window.createTreeView("flylead.files", { treeDataProvider: this.#tree, dragAndDropController: this.#tree }),
      vscode.workspace.registerFileSystemProvider(SCHEME, this.#files, { isCaseSensitive: true }),
      vscode.debug.registerDebugConfigurationProvider(TYPE, debugging),
      vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, debugging),
      this.#boards.onDidChange(() => this.#refresh()),
      this.#runner.onDidChange(() => this.#boards.redraw()),
      this.#files.onDidChangeFile(() => this.#tree.refresh()),
      // In a remote window the person's settings come after the extension has begun.
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration("flylead")) return;
        void this.#boards.look().catch(complain);
        tests.refresh();
      }),
    );
    void this.#boards.look().catch(complain);
  }

  dispose(): void {
    this.#boards.dispose();
    this.#runner.dispose();
    this.#sharing.dispose();
    this.#sign.dispose();
  }

  #register(): void {
    this.#on("run", () => this.#run());
    this.#on("stop", () => this.#runner.stop());
    this.#on("debug", () => this.#debug());
    this.#on("terminal", (board?: Board) => this.#prompt(board));
    this.#on("choose", (board: Board) => this.#boards.choose(board));
    this.#on("refresh", () => this.#boards.look());
    this.#on("reset", async (board?: Board) => (await this.#device(board?.address)).reset());
    this.#on("mount", (folder?: vscode.Uri) => this.#mount(chosenFolder(folder)));
    this.#on("unmount", () => this.#mount(undefined));
    this.#on("deploy", (folder?: vscode.Uri) => this.#inTerminal("Deploy", (path) => ["deploy", path], folder));
    this.#on("log", (board?: Board) => this.#log(board));
    this.#on("flash", (board?: Board) => this.#flash(board));
    this.#on("install", () => this.#install());
    this.#on("upload", (file?: vscode.Uri, all?: vscode.Uri[]) => this.#upload(all ?? [file ?? active().uri], undefined));
    this.#on("download", (node: Node) => this.#download(node));
    registerChecks(this.context, async (program) => (await this.#device()).exec(program));
    registerPlot(this.context, this.#runner);
    registerParts(this.context);
    registerFileCommands(this.context, () => this.#boards.require());
  }

  #on(name: string, work: (...values: any[]) => unknown): void {
    on(this.context, name, work);
  }

  #command(): Promise<Command> {
    const setting = vscode.workspace.getConfiguration("flylead").get("command", "");
    return find(setting, this.context.extensionPath, vscode.workspace.workspaceFolders?.[0]?.uri.fsPath);
  }

  /** The board at an address, or the one in use. */
  async #device(address?: string): Promise<Device> {
    const board = address ? this.#boards.at(address) : await this.#boards.require();
    return new Device(board, await this.#command(), this.#sharing, this.#rivals).ready();
  }

  #refresh(): void {
    this.#tree.refresh();
    const board = this.#boards.current;
    if (board) this.#files.refresh(board.address);
  }

  async #run(): Promise<void> {
    const document = active();
    await saved(document);
    const device = await this.#device();
    await this.#runner.run(device.board.address, document.uri, new CommandProgram(device, document, this.#mounted?.fsPath));
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
    const at = chosenFolder(folder);
    await task(await this.#device(), name, words(at.fsPath));
  }

  /** Gives programs that run from now on a folder of this computer, or none. */
  async #mount(folder: vscode.Uri | undefined): Promise<void> {
    this.#mounted = folder;
    await vscode.commands.executeCommand("setContext", "flylead.mounted", folder !== undefined);
    if (!folder) return this.#sign.hide();
    this.#sign.text = `$(folder-active) ${basename(folder.path)} on the board`;
    this.#sign.tooltip = `Programs see ${folder.fsPath} as their folder, and import from it. Click to take it away.`;
    this.#sign.command = "flylead.unmount";
    this.#sign.show();
  }

  /** Appends what the board prints to a file, until the terminal is closed. */
  async #log(board?: Board): Promise<void> {
    const device = await this.#device(board?.address);
    const file = await vscode.window.showSaveDialog({ filters: { Log: ["csv", "jsonl", "txt"] }, saveLabel: "Log Here" });
    if (file) this.#terminal(device, `Log ${basename(file.path)}`, ["log", file.fsPath]).show();
  }

  /** Writes firmware to a board, or to the only one that waits in its boot loader. */
  async #flash(given?: Board): Promise<void> {
    const board = given ?? this.#boards.current;
    if (board) await this.#sharing.release(board.address);
    await flash(await this.#command(), board ? ["--port", board.address] : []);
  }

  async #install(): Promise<void> {
    const name = await vscode.window.showInputBox({ title: "Package to install", placeHolder: "umqtt.simple, github:owner/repository, or a folder" });
    if (!name) return;
    await task(await this.#device(), `Install ${name}`, ["install", name]);
  }

  /** Copies files into the directory of a node, or else into the board's current one. */
  async #upload(files: readonly vscode.Uri[], target: Node | undefined): Promise<void> {
    if (files.length === 0) return;
    const device = await this.#device(target?.board);
    const title = `Copying ${files.length === 1 ? basename(files[0]?.path ?? "") : `${files.length} files`} to the board`;
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => device.upload(files.map((file) => file.fsPath), target ? directoryOf(target) : ""));
    this.#refresh();
  }

  async #download(node: Node): Promise<void> {
    const [folder] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Copy here" })) ?? [];
    if (folder) await (await this.#device(node.board)).download(node.path, folder.fsPath);
  }
}

/** Runs the command as a task of the editor, whose terminal stays when it has ended: its last words are the result. */
async function task(device: Device, name: string, words: readonly string[]): Promise<void> {
  const execution = new vscode.ProcessExecution(device.command.path, device.arguments(words));
  await vscode.tasks.executeTask(new vscode.Task({ type: TYPE }, vscode.TaskScope.Workspace, name, "Flylead", execution, []));
}

/** The folder that was clicked, or the first one of the workspace. */
function chosenFolder(clicked: vscode.Uri | undefined): vscode.Uri {
  const at = clicked ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (at?.scheme !== "file") throw new Error("Open the folder of your program first.");
  return at;
}
