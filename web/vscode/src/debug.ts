/** The debugger's type `flylead`, which needs no settings: the adapter is `flylead debug --dap`. */

import * as vscode from "vscode";
import { hasParts } from "./commands";
import type { Device } from "./device";

export const TYPE = "flylead";

export class Debugging implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly device: (address?: string) => Promise<Device>) {}

  /** Fills in what F5 without a configuration leaves open: the file in the editor. */
  resolveDebugConfiguration(_folder: vscode.WorkspaceFolder | undefined, given: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    const isBoot = given["boot"] === true;
    const program = isBoot ? undefined : given["program"] ?? vscode.window.activeTextEditor?.document.uri.fsPath;
    if (!program && !isBoot) {
      void vscode.window.showErrorMessage("Open the Python file that you want to debug.");
      return undefined;
    }
    return { ...given, type: TYPE, request: "launch", name: given.name || "Debug on board", program, parts: hasParts(given) };
  }

  async createDebugAdapterDescriptor({ configuration }: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const device = await this.device(configuration["board"] as string | undefined);
    // The debugger itself waits for its turn without a word.
    await device.free();
    return new vscode.DebugAdapterExecutable(device.command.path, device.arguments(["debug", "--dap"]));
  }
}
