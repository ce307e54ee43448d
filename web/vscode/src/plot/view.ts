/** The view "Plot" beside the terminal: it draws the numbers that programs print, and saves them. */

import * as vscode from "vscode";
import { on } from "../commands";
import type { Runner } from "../run";

/** Limit of output that waits for the view to be opened, in characters. */
const KEPT = 1_000_000;

/** Registers the view, which follows the programs of a runner. */
export function registerPlot(context: vscode.ExtensionContext, runner: Runner): void {
  const plot = new Plot(context.extensionUri);
  const options = { webviewOptions: { retainContextWhenHidden: true } };
  context.subscriptions.push(vscode.window.registerWebviewViewProvider("flylead.plot", plot, options), runner.onDidStart(() => plot.clear()), runner.onDidPrint((text) => plot.feed(text)));
  on(context, "showPlot", () => vscode.commands.executeCommand("flylead.plot.focus"));
  on(context, "saveNumbers", () => plot.save());
}

class Plot implements vscode.WebviewViewProvider {
  #view: vscode.WebviewView | undefined;
  #isReady = false;
  /** Output of the program so far, for a view that is opened later. */
  #printed = "";
  #table: ((csv: string) => void) | undefined;

  constructor(private readonly root: vscode.Uri) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isReady = false;
    const folder = vscode.Uri.joinPath(this.root, "dist", "plot");
    view.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    view.webview.html = html(view.webview, folder);
    view.webview.onDidReceiveMessage((message: { ready?: true; csv?: string }) => {
      if (message.ready) this.#begin();
      if (message.csv !== undefined) this.#table?.(message.csv);
    });
    view.onDidDispose(() => (this.#view = undefined));
  }

  feed(text: string): void {
    this.#printed = (this.#printed + text).slice(-KEPT);
    if (this.#isReady) void this.#view?.webview.postMessage({ print: text });
  }

  clear(): void {
    this.#printed = "";
    void this.#view?.webview.postMessage({ clear: true });
  }

  /** Saves the numbers as a table with a heading. */
  async save(): Promise<void> {
    if (!this.#view) throw new Error("Open the view Plot first.");
    const table = new Promise<string>((resolve) => (this.#table = resolve));
    void this.#view.webview.postMessage({ csv: true });
    const file = await vscode.window.showSaveDialog({ filters: { "Comma-separated values": ["csv"] }, saveLabel: "Save the Numbers" });
    if (file) await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(await table));
  }

  #begin(): void {
    this.#isReady = true;
    if (this.#printed !== "") void this.#view?.webview.postMessage({ print: this.#printed });
  }
}

function html(view: vscode.Webview, folder: vscode.Uri): string {
  const at = (name: string) => view.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${view.cspSource}; style-src ${view.cspSource} 'unsafe-inline'">
<link rel="stylesheet" href="${at("page.css")}">
<label>Scale <select><option value="auto">automatic</option><option value="zero">with zero</option><option value="log">logarithmic</option></select></label>
<p>Print numbers and they are drawn here, a line at a time: print(1.5, 20), print("x:", 1.5, "mm"), a tuple, a dict or JSON.</p>
<main></main>
<script src="${at("page.js")}"></script>
</html>`;
}
