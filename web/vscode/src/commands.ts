/** Commands that are the same on a desktop and in a browser. */

import * as vscode from "vscode";
import type { Board } from "./boards";
import { directoryOf, type Node, SCHEME, uri } from "./files";
import { basename, dirname, join } from "./paths";
import { kindOf, putStubs, QUESTION } from "./stubs";

/** Extensions that read stubs. */
const CHECKERS = ["detachhead.basedpyright", "ms-python.vscode-pylance", "ms-pyright.pyright"] as const;

/** A first program, for whoever comes from the walkthrough. */
const FIRST = 'import sys\n\nprint("Hello from", sys.platform)\n';

/** Registers a command whose errors are shown; one that the person gave up says nothing. */
export function on(context: vscode.ExtensionContext, name: string, work: (...values: any[]) => unknown): void {
  const safely = async (...values: unknown[]) => {
    try {
      return await work(...values);
    } catch (error) {
      return complain(error);
    }
  };
  context.subscriptions.push(vscode.commands.registerCommand(`flylead.${name}`, safely));
}

export function complain(error: unknown): void {
  if (error instanceof vscode.CancellationError) return;
  void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
}

/** Registers what is done with the board's files by the editor's own file system. */
export function registerFileCommands(context: vscode.ExtensionContext, board: () => Promise<Board>): void {
  on(context, "newFile", (node?: Node) => create(board, node, "boot.py", (at) => vscode.workspace.fs.writeFile(at, new Uint8Array())));
  on(context, "newFolder", (node?: Node) => create(board, node, "lib", (at) => vscode.workspace.fs.createDirectory(at)));
  on(context, "rename", rename);
  on(context, "delete", remove);
  on(context, "openFolder", async () => openFolder(await board()));
  on(context, "firstProgram", async () => {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "python", content: FIRST }));
  });
}

/** Registers the step to the next part of an expression. */
export function registerParts(context: vscode.ExtensionContext): void {
  on(context, "part", async () => {
    const session = vscode.debug.activeDebugSession;
    if (!session?.configuration["parts"]) throw new Error("This program has no hooks in its expressions: switch the setting flylead.debug.parts on, and begin again.");
    await session.customRequest("next", { threadId: vscode.debug.activeStackItem?.threadId ?? 1, granularity: "instruction" });
  });
}

/** Registers the command that makes checks and completion follow the connected board; `ask` runs a program on it. */
export function registerChecks(context: vscode.ExtensionContext, ask: (program: string) => Promise<string>): void {
  on(context, "checks", async (clicked?: vscode.Uri) => {
    const folder = clicked ?? vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme !== SCHEME)?.uri;
    if (!folder) throw new Error("Open the folder of your program first.");
    const kind = kindOf(await ask(QUESTION));
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Unpacking the stubs of ${kind.platform}` }, () => putStubs(context.extensionUri, folder, kind));
    if (CHECKERS.some((id) => vscode.extensions.getExtension(id))) return void vscode.window.showInformationMessage(`Checks and completion follow your ${kind.platform} board now.`);
    const find = "Find basedpyright";
    const answer = await vscode.window.showInformationMessage(`The stubs of ${kind.platform} are in the folder typings. basedpyright or Pylance checks programs by them.`, find);
    if (answer === find) await vscode.commands.executeCommand("workbench.extensions.search", CHECKERS[0]);
  });
}

/** The text in the editor. */
export function active(): vscode.TextDocument {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) throw new Error("Open a Python file first.");
  return document;
}

/** Saves the text if a file has it, so that the newest one runs. */
export async function saved(document: vscode.TextDocument): Promise<void> {
  if (document.isUntitled || !document.isDirty) return;
  if (!(await vscode.workspace.save(document.uri))) throw new Error(`${document.uri.path} cannot be saved.`);
}

async function create(board: () => Promise<Board>, node: Node | undefined, example: string, make: (at: vscode.Uri) => Thenable<void>): Promise<void> {
  const name = await vscode.window.showInputBox({ title: `Name in ${directoryOf(node)} of the board`, placeHolder: example });
  if (!name) return;
  const at = uri(node?.board ?? (await board()).address, join(directoryOf(node), name));
  if (await exists(at)) throw new Error(`${at.path} is on the board already.`);
  await make(at);
  if (example.endsWith(".py")) await vscode.window.showTextDocument(at);
}

async function rename(node: Node): Promise<void> {
  const name = await vscode.window.showInputBox({ title: `New name of ${node.path}`, value: basename(node.path) });
  if (!name) return;
  const to = uri(node.board, join(dirname(node.path), name));
  await vscode.workspace.fs.rename(uri(node.board, node.path), to);
}

async function remove(node: Node): Promise<void> {
  const what = node.isDirectory ? `${node.path} and everything in it` : node.path;
  const answer = await vscode.window.showWarningMessage(`Delete ${what} from the board?`, { modal: true, detail: "It cannot be brought back." }, "Delete");
  if (answer === "Delete") await vscode.workspace.fs.delete(uri(node.board, node.path), { recursive: true });
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
