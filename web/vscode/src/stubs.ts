/** Stubs for checks and completion by the connected board, in the folder where basedpyright and Pylance look for them. */

import { unzipSync } from "fflate";
import * as vscode from "vscode";
import { wheelsOf } from "../../src/editor/writing/server/wheels.ts";

/** Folder of stubs in the workspace: `stubPath` of pyright's by default. */
const FOLDER = "typings";
const CONFIGURATION = "pyrightconfig.json";
/** Settings of pyright for the folder; MicroPython's library takes the place of CPython's. */
const WISHES = { stubPath: FOLDER, typeshedPath: FOLDER, reportMissingModuleSource: "none", reportShadowedImports: "none" };
/** Program that tells the kind of board, and the modules that are built in, a line of names each as `help` prints them. */
export const QUESTION = "import sys\nprint(sys.platform)\ntry:\n help('modules')\nexcept Exception:\n pass\n";

/** Answer to the question. */
export interface Kind {
  readonly platform: string;
  /** Names of modules; empty if the board does not list them. */
  readonly modules: ReadonlySet<string>;
}

export function kindOf(answer: string): Kind {
  const [platform = "", ...lines] = answer.split(/\r?\n/);
  // The last line is a hint about the file system: "Plus any modules on the filesystem".
  const names = lines.filter((line) => !line.startsWith("Plus")).flatMap((line) => line.trim().split(/\s+/));
  return { platform, modules: new Set(names.filter(Boolean).map((name) => name.split("/")[0]?.split(".")[0] ?? "")) };
}

/** Puts the stubs of a kind of board into a folder, without the modules that this board does not have. */
export async function putStubs(root: vscode.Uri, folder: vscode.Uri, kind: Kind): Promise<void> {
  const { library, own } = wheelsOf(kind.platform);
  const files = { ...(await unpacked(root, library)), ...without(own ? await unpacked(root, own) : {}, kind) };
  const at = vscode.Uri.joinPath(folder, FOLDER);
  await clear(at);
  await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(at, ".gitignore"), new TextEncoder().encode("*\n"));
  for (const [path, content] of Object.entries(files)) await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(at, path), content);
  await configure(vscode.Uri.joinPath(folder, CONFIGURATION));
}

/** Removes stubs that were made here before; a folder of the person's own stays. */
async function clear(at: vscode.Uri): Promise<void> {
  const isThere = await exists(at);
  if (!isThere) return;
  if (!(await exists(vscode.Uri.joinPath(at, "stdlib"))) || !(await exists(vscode.Uri.joinPath(at, ".gitignore")))) {
    throw new Error(`The folder ${FOLDER} has stubs of your own. Move them first; it is where the board's would go.`);
  }
  await vscode.workspace.fs.delete(at, { recursive: true });
}

async function unpacked(root: vscode.Uri, name: string): Promise<Record<string, Uint8Array>> {
  const folder = vscode.Uri.joinPath(root, "dist", "stubs");
  const wheel = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, `${name}.whl`));
  const files = unzipSync(wheel, { filter: ({ name }) => /\.pyi$|VERSIONS$|LICENSE/.test(name) });
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [path.replace(/^stubs\/[^/]+\//, ""), content]));
}

function without(files: Record<string, Uint8Array>, { modules }: Kind): Record<string, Uint8Array> {
  if (modules.size === 0) return files;
  const has = (path: string) => {
    const name = path.split("/")[0]?.replace(/\.pyi$/, "") ?? "";
    return !/^[a-z]/.test(name) || /dist-info$/.test(name) || modules.has(name) || (name.startsWith("u") && modules.has(name.slice(1)));
  };
  return Object.fromEntries(Object.entries(files).filter(([path]) => has(path)));
}

/** Adds what is missing to pyright's configuration; what the person wrote there stays. */
async function configure(file: vscode.Uri): Promise<void> {
  const now = (await exists(file)) ? new TextDecoder().decode(await vscode.workspace.fs.readFile(file)) : "{}";
  let given: object;
  try {
    given = JSON.parse(now) as object;
  } catch {
    throw new Error(`${CONFIGURATION} is not plain JSON; add to it by hand: ${JSON.stringify(WISHES)}`);
  }
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(`${JSON.stringify({ ...WISHES, ...given }, undefined, 2)}\n`));
}

async function exists(at: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(at).then(() => true, () => false);
}
