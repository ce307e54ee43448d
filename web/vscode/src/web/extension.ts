/** The extension in a browser: no command runs there, so the npm package works on the boards, over Web Serial and WebREPL. */

import { init } from "flylead";
import * as vscode from "vscode";
import { type Board, Boards } from "../boards";
import { active, complain, on, registerChecks, registerFileCommands, registerParts } from "../commands";
import { BoardFiles, directoryOf, FileTree, type Node, SCHEME, uri } from "../files";
import { TYPE } from "../launch";
import { basename, join } from "../paths";
import { registerPlot } from "../plot/view";
import { Runner } from "../run";
import { Debugging } from "./debug";
import { Device, fault } from "./device";
import { granted, open, request } from "./ports";
import { TextProgram } from "./program";
import { Prompt } from "./prompt";

/** Parts of the npm package, each with its WebAssembly in `dist/web`. */
const PARTS = ["board", "links", "debug"] as const;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  await vscode.commands.executeCommand("setContext", "flylead.inBrowser", true);
  const [board, links, debug] = PARTS.map((part) => () => wasm(context, part));
  await init(board?.(), links?.());
  const workbench = new Workbench(context, () => debug?.() ?? Promise.reject(new Error("no debugger")));
  context.subscriptions.push(workbench);
  workbench.begin();
}

/** Commands that need the `flylead` command. Menus hide them here, but not before the extension has begun. */
const DESKTOP = ["mount", "unmount", "deploy", "install", "flash", "log"] as const;

class Workbench implements vscode.Disposable {
  readonly #runner = new Runner();
  readonly #devices = new Map<string, Device>();
  readonly #boards: Boards;
  readonly #files: BoardFiles;
  readonly #tree: FileTree;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly debugger_: () => Promise<BufferSource>,
  ) {
    this.#boards = new Boards(granted, context.workspaceState, { words: (address) => this.#runner.activity(address), details: () => [] });
    this.#files = new BoardFiles(async (board) => this.#at(board), fault);
    this.#tree = new FileTree(() => this.#boards.current?.address, async (board) => this.#at(board), (files, target) => this.#upload(files, target));
  }

  begin(): void {
    const debugging = new Debugging((address) => this.#device(address), this.debugger_);
    // Commands come before the views: a row that is shown can be clicked.
    this.#register();
    this.context.subscriptions.push(
      vscode.window.registerTreeDataProvider("flylead.boards", this.#boards),
      vscode.window.createTreeView("flylead.files", { treeDataProvider: this.#tree, dragAndDropController: this.#tree }),
      vscode.workspace.registerFileSystemProvider(SCHEME, this.#files, { isCaseSensitive: true }),
      vscode.debug.registerDebugConfigurationProvider(TYPE, debugging),
      vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, debugging),
      this.#boards.onDidChange(() => this.#refresh()),
      this.#runner.onDidChange(() => this.#boards.redraw()),
      this.#files.onDidChangeFile(() => this.#tree.refresh()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("flylead")) void this.#boards.look().catch(complain);
      }),
    );
    void this.#boards.look().catch(complain);
  }

  dispose(): void {
    this.#boards.dispose();
    this.#runner.dispose();
    for (const device of this.#devices.values()) void device.close();
  }

  #register(): void {
    const { context } = this;
    on(context, "run", () => this.#run());
    on(context, "stop", () => this.#runner.stop());
    on(context, "debug", () => this.#debug());
    on(context, "terminal", (board?: Board) => this.#prompt(board));
    on(context, "choose", (board: Board) => this.#boards.choose(board));
    on(context, "refresh", () => this.#boards.look());
    on(context, "connect", () => this.#connect());
    on(context, "reset", async (board?: Board) => (await this.#device(board?.address)).reset());
    on(context, "upload", (file?: vscode.Uri, all?: vscode.Uri[]) => this.#upload(all ?? [file ?? active().uri], undefined));
    on(context, "download", (node: Node) => this.#download(node));
    for (const name of DESKTOP) on(context, name, notHere);
    registerChecks(context, async (program) => (await (await this.#device()).ask((board) => board.exec(program))).stdout);
    registerPlot(context, this.#runner);
    registerParts(context);
    registerFileCommands(context, () => this.#require());
  }

  async #connect(): Promise<void> {
    await request();
    await this.#boards.look();
  }

  /** Returns the board in use; the first one is chosen in the browser's own list. */
  async #require(): Promise<Board> {
    await this.#boards.look();
    if (this.#boards.all.length === 0) await this.#connect();
    return this.#boards.require();
  }

  async #device(address?: string): Promise<Device> {
    return this.#at(address ?? (await this.#require()).address);
  }

  #at(address: string): Device {
    const device = this.#devices.get(address) ?? new Device(address, () => open(address));
    this.#devices.set(address, device);
    return device;
  }

  #refresh(): void {
    this.#tree.refresh();
    const board = this.#boards.current;
    if (board) this.#files.refresh(board.address);
  }

  async #run(): Promise<void> {
    const document = active();
    const device = await this.#device();
    await this.#runner.run(device.address, document.uri, new TextProgram(device, basename(document.uri.path), document.getText()));
  }

  async #debug(): Promise<void> {
    await this.#device();
    await vscode.debug.startDebugging(undefined, { type: TYPE, request: "launch", name: "Debug on board", program: active().uri.toString() });
  }

  async #prompt(board?: Board): Promise<void> {
    const used = board ?? (await this.#require());
    const name = `Board ${used.name}`;
    const opened = vscode.window.terminals.find((terminal) => terminal.name === name && terminal.exitStatus === undefined);
    const pty = new Prompt(this.#at(used.address));
    (opened ?? vscode.window.createTerminal({ name, pty, iconPath: new vscode.ThemeIcon("circuit-board") })).show();
  }

  async #upload(files: readonly vscode.Uri[], target: Node | undefined): Promise<void> {
    if (files.length === 0) return;
    const board = target?.board ?? (await this.#require()).address;
    const title = `Copying ${files.length === 1 ? basename(files[0]?.path ?? "") : `${files.length} files`} to the board`;
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, async () => {
      for (const file of files) await vscode.workspace.fs.copy(file, uri(board, join(target ? directoryOf(target) : await this.#current(board), basename(file.path))), { overwrite: true });
    });
    this.#refresh();
  }

  /** The board's current directory, which its programs begin in. */
  async #current(board: string): Promise<string> {
    const { stdout } = await this.#at(board).ask((it) => it.exec("import os\nprint(os.getcwd())"));
    return stdout.trim();
  }

  async #download(node: Node): Promise<void> {
    const [folder] = (await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Copy here" })) ?? [];
    if (folder) await vscode.workspace.fs.copy(uri(node.board, node.path), vscode.Uri.joinPath(folder, basename(node.path)));
  }
}

function notHere(): never {
  throw new Error("This needs VS Code on a desktop: a browser cannot start the flylead command.");
}

async function wasm(context: vscode.ExtensionContext, part: (typeof PARTS)[number]): Promise<Uint8Array<ArrayBuffer>> {
  const content = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "dist", "web", `${part}.wasm`));
  return new Uint8Array(content);
}
