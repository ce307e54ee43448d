/** Firmware for a board, by `flylead flash`: one question for which, one for whether, and progress. */

import * as vscode from "vscode";
import type { Command } from "./command";

/** A firmware, as the command lists it. A board of which only a page is known has no version yet. */
interface Listed {
  readonly board: string;
  readonly version?: string;
}

/** Plan of `flylead flash --dry-run`. */
interface Plan {
  readonly would_write: string;
  readonly bytes: number;
  readonly board: string;
}

interface Written {
  readonly written: string;
  readonly model: string;
}

/** Answers to the question before firmware is written. */
const WRITE = "Write";
const KEEP = "Write and Keep the Files";

/** Asks which firmware, and writes it after a yes. `port` names the board to the command; without it the only one is taken. */
export async function flash(command: Command, port: readonly string[]): Promise<void> {
  const chosen = await choose(command);
  if (!chosen) return;
  const words = [...port, "flash", ...chosen];
  const plan = await during("Looking at the board and its firmware", (signal) => command.json<Plan>([...words, "--dry-run"], signal));
  const detail = `${plan.bytes.toLocaleString()} bytes. What the board has now is replaced; its files stay only if both firmwares keep them in the same place.`;
  const answer = await vscode.window.showWarningMessage(`Write ${plan.would_write} to ${plan.board}?`, { modal: true, detail }, WRITE, KEEP);
  if (!answer) return;
  const options = answer === KEEP ? ["--yes", "--keep-files"] : ["--yes"];
  const { written, model } = await during(`Writing ${plan.would_write}`, (signal) => command.json<Written>([...words, ...options], signal));
  void vscode.window.showInformationMessage(`${written} is on ${model || "the board"}, which starts it now.`);
}

/** Returns the command's words for the firmware that the person chooses. */
async function choose(command: Command): Promise<readonly string[] | undefined> {
  const own = { label: "$(circuit-board) The newest MicroPython for this board", choose: async () => [] };
  const other = { label: "$(list-unordered) MicroPython for a board by its name…", choose: () => listed(command) };
  const file = { label: "$(file-binary) A file…", choose: chosenFile };
  const picked = await vscode.window.showQuickPick<vscode.QuickPickItem & { choose: () => Promise<readonly string[] | undefined> }>([own, other, file], { title: "Which firmware?" });
  return picked?.choose();
}

async function listed(command: Command): Promise<readonly string[] | undefined> {
  const all = await during("Reading the list of firmware", (signal) => command.json<readonly Listed[]>(["flash", "--list"], signal));
  const board = await vscode.window.showQuickPick([...new Set(all.map(({ board }) => board))], { title: "Which board is it?" });
  if (!board) return undefined;
  const versions = await during(`Reading the versions for ${board}`, (signal) => command.json<readonly Listed[]>(["flash", "--list", board], signal));
  const version = await vscode.window.showQuickPick(["The newest", ...new Set(versions.flatMap(({ version }) => version ?? []))], { title: "Which version?" });
  if (!version) return undefined;
  return version === "The newest" ? [board] : [board, "--version", version];
}

async function chosenFile(): Promise<readonly string[] | undefined> {
  const [file] = (await vscode.window.showOpenDialog({ filters: { Firmware: ["uf2", "bin", "hex"] }, openLabel: "Choose Firmware" })) ?? [];
  return file && [file.fsPath];
}

/** Does work that the person may cancel, and shows that it goes on. */
function during<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    return work(stop.signal);
  });
}
