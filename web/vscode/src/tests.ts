/** Tests on boards in the Test view: collected and run by `flylead test`, which keeps to pytest's rules. */

import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { type Command, CommandError } from "./command";
import type { Device } from "./device";

/** Files whose change may change the list of tests. */
const PATTERN = "**/{test_*,*_test}.py";

/** The end of a test, as `flylead test --json` tells it. */
interface Ended {
  readonly file: string;
  readonly test: string;
  readonly line: number;
  readonly outcome: "passed" | "failed" | "skipped" | "xfailed" | "xpassed" | "error";
  readonly message: string;
  readonly traceback: string;
  readonly printed: string;
  readonly seconds: number;
}

export class Tests implements vscode.Disposable {
  readonly #controller = vscode.tests.createTestController("flylead", "Tests on the Board");
  readonly #watcher = vscode.workspace.createFileSystemWatcher(PATTERN);

  constructor(
    private readonly command: () => Promise<Command>,
    private readonly device: () => Promise<Device>,
  ) {
    this.#controller.createRunProfile("Run on Board", vscode.TestRunProfileKind.Run, (request, token) => this.#run(request, token), true);
    this.#controller.resolveHandler = (item) => (item ? Promise.resolve() : this.#find());
    this.#controller.refreshHandler = () => this.#find();
    this.#watcher.onDidCreate(() => this.refresh());
    this.#watcher.onDidChange(() => this.refresh());
    this.#watcher.onDidDelete(() => this.refresh());
  }

  /** Lists the tests again. */
  refresh(): void {
    void this.#find();
  }

  dispose(): void {
    this.#watcher.dispose();
    this.#controller.dispose();
  }

  /** Lists the tests of all folders, as the command finds them. */
  async #find(): Promise<void> {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
    const listed = await Promise.all(folders.map(({ uri }) => this.#list(uri)));
    this.#controller.items.replace(listed.flat());
  }

  /** Lists a folder's tests: a line `file.py::Class::test` for each. What cannot be read is an item that says why. */
  async #list(folder: vscode.Uri): Promise<vscode.TestItem[]> {
    const files = new Map<string, vscode.TestItem>();
    try {
      const command = (await this.command()).within(folder.fsPath);
      const listed = new TextDecoder().decode(await command.output(["test", "--collect-only", "."]));
      for (const [, path = "", name = ""] of listed.matchAll(/^(.+?\.py)::(.+?)\s*$/gm)) {
        const file = files.get(path) ?? this.#file(vscode.Uri.joinPath(folder, path.replaceAll("\\", "/")), path);
        files.set(path, file);
        file.children.add(this.#controller.createTestItem(`${file.id}::${name}`, name, file.uri));
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!/no tests/.test(error.message)) return [...files.values(), this.#unreadable(folder, error.message)];
    }
    return [...files.values()];
  }

  #file(uri: vscode.Uri, path: string): vscode.TestItem {
    return this.#controller.createTestItem(uri.toString(), path, uri);
  }

  #unreadable(folder: vscode.Uri, why: string): vscode.TestItem {
    const item = this.#controller.createTestItem(`${folder}?`, "Tests that cannot be listed");
    item.error = why;
    return item;
  }

  async #run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    try {
      const included = request.include ?? items(this.#controller.items);
      for (const [file, names] of chosen(without(included, request.exclude ?? []))) {
        if (token.isCancellationRequested) break;
        await this.#runFile(run, file, names, stop.signal);
      }
    } finally {
      run.end();
    }
  }

  async #runFile(run: vscode.TestRun, file: vscode.TestItem, names: readonly string[], signal: AbortSignal): Promise<void> {
    const path = file.uri?.fsPath ?? "";
    const started = names.length > 0 ? names.flatMap((name) => file.children.get(`${file.id}::${name}`) ?? []) : items(file.children);
    started.forEach((test) => run.started(test));
    const device = await this.device();
    const words = names.length > 0 ? names.map((name) => `${path}::${name}`) : [path];
    let refusal = await device.free().then(() => "", (error: Error) => error.message);
    const onEvent = (event: Record<string, unknown>) => {
      if (event["event"] === "test") report(run, file, event as unknown as Ended);
      const error = event["error"] as { message?: string } | undefined;
      refusal = error?.message ?? refusal;
    };
    if (refusal === "") await device.command.events(device.arguments(["test", ...words]), onEvent, signal);
    if (refusal !== "") started.forEach((test) => run.errored(test, new vscode.TestMessage(refusal)));
  }
}

function report(run: vscode.TestRun, file: vscode.TestItem, ended: Ended): void {
  const test = file.children.get(`${file.id}::${ended.test}`);
  if (!test) return;
  if (ended.printed !== "") run.appendOutput(ended.printed.replace(/\r?\n/g, "\r\n"), undefined, test);
  const milliseconds = ended.seconds * 1000;
  if (["passed", "xfailed", "xpassed"].includes(ended.outcome)) run.passed(test, milliseconds);
  else if (ended.outcome === "skipped") run.skipped(test);
  else {
    const message = new vscode.TestMessage(`${ended.message}\n\n${ended.traceback}`);
    if (test.uri) message.location = new vscode.Location(vscode.Uri.file(join(dirname(test.uri.fsPath), ended.file.split("/").at(-1) ?? "")), new vscode.Position(Math.max(ended.line - 1, 0), 0));
    run.failed(test, message, milliseconds);
  }
}

/** Leaves out tests; a file of which some are left out becomes the others. */
function without(tests: readonly vscode.TestItem[], excluded: readonly vscode.TestItem[]): vscode.TestItem[] {
  const kept = tests.filter((test) => !excluded.includes(test));
  return kept.flatMap((test) => (items(test.children).some((child) => excluded.includes(child)) ? items(test.children).filter((child) => !excluded.includes(child)) : test));
}

/** The chosen tests by file; a file that is chosen itself has no names, and runs whole. */
function chosen(tests: readonly vscode.TestItem[]): Map<vscode.TestItem, string[]> {
  const files = new Map<vscode.TestItem, string[]>();
  for (const test of tests) {
    if (!test.parent) files.set(test, []);
    else if (!tests.includes(test.parent)) files.set(test.parent, [...(files.get(test.parent) ?? []), test.label]);
  }
  return files;
}

function items(collection: vscode.TestItemCollection): vscode.TestItem[] {
  return [...collection].map(([, item]) => item);
}
