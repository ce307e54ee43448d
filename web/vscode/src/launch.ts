/** Configurations of the debugger's type `flylead`, which needs none. */

import * as vscode from "vscode";

export const TYPE = "flylead";

/** Fills in what F5 without a configuration leaves open: `inEditor`, the file in the editor. */
export function configured(given: vscode.DebugConfiguration, inEditor: (document: vscode.Uri) => string): vscode.DebugConfiguration | undefined {
  const document = vscode.window.activeTextEditor?.document.uri;
  const program = given["program"] ?? (document && inEditor(document));
  if (program) return launched({ ...given, program });
  void vscode.window.showErrorMessage("Open the Python file that you want to debug.");
  return undefined;
}

/** Fills in what is the same for every program. Without `parts` the setting decides about hooks in expressions. */
export function launched(given: vscode.DebugConfiguration): vscode.DebugConfiguration {
  const parts = given["parts"] ?? vscode.workspace.getConfiguration(TYPE).get("debug.parts", false);
  return { ...given, type: TYPE, request: "launch", name: given.name || "Debug on board", parts };
}

/** Address of the program that a configuration attaches to: `connect` as debugpy has it; none for a program that is launched. */
export function joined(given: vscode.DebugConfiguration): { host: string; port: number } | undefined {
  if (given.request !== "attach") return undefined;
  const connect = (given["connect"] ?? {}) as { host?: string; port?: number };
  return { host: connect.host ?? "127.0.0.1", port: connect.port ?? DAP_PORT };
}

/** Port of the examples in `flylead debug --help`, and debugpy's own. */
const DAP_PORT = 5678;
