/** The debugger's type `flylead`, which needs no settings: the adapter is `flylead debug --dap`, started here or, to attach, elsewhere. */

import * as vscode from "vscode";
import type { Device } from "./device";
import { configured, joined, launched } from "./launch";

export class Debugging implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly device: (address?: string) => Promise<Device>) {}

  resolveDebugConfiguration(_folder: vscode.WorkspaceFolder | undefined, given: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    if (joined(given)) return given;
    if (given["boot"] === true) return launched({ ...given, program: undefined });
    return configured(given, ({ fsPath }) => fsPath);
  }

  async createDebugAdapterDescriptor({ configuration }: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const address = joined(configuration);
    if (address) return new vscode.DebugAdapterServer(address.port, address.host);
    const device = await this.device(configuration["board"] as string | undefined);
    // The debugger itself waits for its turn without a word.
    await device.free();
    return new vscode.DebugAdapterExecutable(device.command.path, device.arguments(["debug", "--dap"]));
  }
}
