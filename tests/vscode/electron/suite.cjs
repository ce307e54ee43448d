/** Tests of the extension by the editor's API, as other extensions use it, with a board. Runs inside of the editor. */

const assert = require("node:assert/strict");
const vscode = require("vscode");

const { FLYLEAD_TEST_BOARD: BOARD, FLYLEAD_TEST_COMMAND: COMMAND } = process.env;
const TESTS = { commandsAreThere, filesAreThere, aProgramIsDebugged, aProgramRunsAndStops };

exports.run = async function run() {
  const settings = vscode.workspace.getConfiguration("flylead");
  // A profile of other tests has the board already.
  if (settings.get("command") === "") await settings.update("command", COMMAND, vscode.ConfigurationTarget.Global);
  if (!settings.get("addresses").includes(BOARD)) {
    await settings.update("addresses", [BOARD], vscode.ConfigurationTarget.Global);
  }
  await vscode.extensions.getExtension("flylead.flylead").activate();
  await vscode.commands.executeCommand("flylead.refresh");
  try {
    for (const test of Object.values(TESTS)) await test();
    console.log("all tests passed");
  } catch (error) {
    console.log("a test failed", error.stack);
    throw error;
  }
};

async function commandsAreThere() {
  const known = new Set(await vscode.commands.getCommands(true));
  const { contributes } = vscode.extensions.getExtension("flylead.flylead").packageJSON;
  const missing = contributes.commands.map(({ command }) => command).filter((command) => !known.has(command) && command !== "flylead.connect");
  assert.deepEqual(missing, []);
}

/** Any extension can work on a board's files by the editor's file system. */
async function filesAreThere() {
  const at = (path) => vscode.Uri.from({ scheme: "flylead", authority: Buffer.from(BOARD).toString("hex"), path });
  const { fs } = vscode.workspace;
  await fs.writeFile(at("/flash/a.txt"), Buffer.from("kept"));
  assert.equal(Buffer.from(await fs.readFile(at("/flash/a.txt"))).toString(), "kept");
  assert.equal((await fs.stat(at("/flash/a.txt"))).size, 4);
  await fs.rename(at("/flash/a.txt"), at("/flash/b.txt"));
  assert.deepEqual((await fs.readDirectory(at("/flash"))).filter(([name]) => /^[ab]\.txt$/.test(name)), [["b.txt", vscode.FileType.File]]);
  await fs.delete(at("/flash/b.txt"));
  await assert.rejects(async () => fs.stat(at("/flash/b.txt")), { code: "FileNotFound" });
}

async function aProgramIsDebugged() {
  const [folder] = vscode.workspace.workspaceFolders;
  const program = vscode.Uri.joinPath(folder.uri, "steps.py");
  await vscode.window.showTextDocument(program);
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(program, new vscode.Position(1, 0)))]);
  const ended = new Promise((resolve) => vscode.debug.onDidTerminateDebugSession(resolve));
  const stopped = new Promise((resolve) => vscode.debug.onDidChangeActiveStackItem((item) => item?.frameId !== undefined && resolve(item)));
  assert.ok(await vscode.debug.startDebugging(folder, { type: "flylead", request: "launch", name: "test" }));
  const { session, frameId } = await stopped;
  assert.equal((await session.customRequest("evaluate", { expression: "a + b", frameId, context: "watch" })).result, "42");
  await session.customRequest("continue", { threadId: 1 });
  await ended;
  vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
}

async function aProgramRunsAndStops() {
  const document = await vscode.workspace.openTextDocument({ language: "python", content: "while True:\n    pass\n" });
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("flylead.run");
  assert.ok(vscode.window.terminals.some(({ name }) => name.startsWith("Run ")));
  await vscode.commands.executeCommand("flylead.stop");
}
