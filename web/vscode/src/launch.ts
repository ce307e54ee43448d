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
