/** A language server in a worker, spoken to by the Language Server Protocol (3.17): basedpyright, without the stubs of CPython. */

import script from "browser-basedpyright/dist/pyright.worker.js?url";
import { load } from "../load.ts";
import { SEVERITIES } from "./rules.ts";
import { STUBS, stubsFor, TYPESHED } from "./stubs.ts";

interface Message {
  id?: number;
  method?: string;
  params?: { items?: { section?: string }[]; uri?: string; version?: number; diagnostics?: Found[] };
  result?: unknown;
  error?: { message: string };
  /** Of the worker itself, which asks for another one. */
  type?: string;
  initialData?: unknown;
  port?: MessagePort;
}

/** Fault in a document, as the server reports it. */
export interface Found {
  code?: string | number;
  message: string;
  range: { start: Position; end: Position };
}

/** Both from 0, the character in UTF-16 code units. */
export interface Position {
  line: number;
  character: number;
}

export class Pyright {
  readonly #workers: Worker[] = [];
  readonly #waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  /** Content of each document, as sent to the server. */
  readonly #documents = new Map<string, { text: string; version: number }>();
  /** Faults that the server found, by document, in the version that it examined last. */
  readonly #found = new Map<string, { version: number | undefined; items: Found[] }>();
  readonly #watching = new Set<() => void>();
  /** True if a caller stopped waiting for that. */
  #isLate = false;
  /** Names that its stubs have in `builtins`. */
  builtins: ReadonlySet<string> = new Set();
  #asked = 0;
  /** Called when the server has changed its mind about a text, or has taken long to have one. */
  onSecondThought: () => void = () => undefined;

  /** Starts one that knows the modules of a platform. */
  static async start(platform: string): Promise<Pyright> {
    const [files] = await Promise.all([stubsFor(platform), load(script)]);
    const server = new Pyright();
    server.builtins = new Set([...(files[`${TYPESHED}/stdlib/builtins.pyi`] ?? "").matchAll(TOP_LEVEL)].map(([, name, other]) => name ?? other!));
    const main = server.#spawn();
    main.postMessage({ type: "browser/boot", mode: "foreground" });
    try {
      await server.ask("initialize", { processId: null, rootUri: uriOf(""), workspaceFolders: [{ uri: uriOf(""), name: "board" }], initializationOptions: { files }, capabilities: CAPABILITIES });
    } catch (error) {
      server.close();
      throw error;
    }
    server.#tell("initialized", {});
    return server;
  }

  #spawn(): Worker {
    const worker = new Worker(script, { name: "basedpyright" });
    this.#workers.push(worker);
    if (this.#workers.length === 1) worker.addEventListener("message", ({ data }: MessageEvent<Message>) => this.#hear(data));
    worker.addEventListener("error", () => this.close());
    return worker;
  }

  /** Rejects when the server refuses, or has ended, as one that does not answer is made to. */
  ask<T>(method: string, params: object): Promise<T> {
    const id = ++this.#asked;
    return new Promise<T>((resolve, reject) => {
      const slow = setTimeout(() => this.close(), DEADLINE_MS);
      const end = () => (clearTimeout(slow), this.#waiting.delete(id));
      this.#waiting.set(id, { resolve: (result) => (end(), resolve(result)), reject: (error) => (end(), reject(error)) });
      this.#send({ id, method, params });
    });
  }

  /** Makes a document what it is in the editor. */
  show(path: string, text: string): void {
    const uri = uriOf(path);
    const known = this.#documents.get(path);
    if (known?.text === text) return;
    const version = (known?.version ?? 0) + 1;
    this.#documents.set(path, { text, version });
    if (known) return this.#tell("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
    // A module is found only where there is a file of it.
    this.#tell("pyright/createFile", { uri });
    this.#tell("textDocument/didOpen", { textDocument: { uri, languageId: "python", version, text } });
  }

  /** Returns the faults of a document as last shown, once the server has examined it; none if that takes too long. */
  async faults(path: string): Promise<Found[]> {
    const { version } = this.#documents.get(path) ?? {};
    const present = () => this.#documents.get(path)?.version !== version || this.#found.get(uriOf(path))?.version === version || this.isClosed;
    await new Promise<void>((resolve) => {
      const look = () => (present() ? end() : undefined);
      const slow = setTimeout(() => ((this.#isLate = true), end()), PATIENCE_MS);
      const watching = this.#watching.add(look);
      function end() {
        clearTimeout(slow);
        watching.delete(look);
        resolve();
      }
      look();
    });
    const found = this.#found.get(uriOf(path));
    return found && found.version === version && !this.isClosed ? found.items : [];
  }

  /** A version is looked at again when what it imports has changed. */
  #publish({ uri = "", version, diagnostics: items = [] }: NonNullable<Message["params"]>): void {
    const before = this.#found.get(uri);
    this.#found.set(uri, { version, items });
    for (const look of this.#watching) look();
    const isOther = before?.version === version && JSON.stringify(before?.items) !== JSON.stringify(items);
    if (isOther || this.#isLate) this.onSecondThought();
    this.#isLate = false;
  }

  /** Takes away the documents that are not among these. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#documents.keys()) {
      if (paths.has(path)) continue;
      this.#documents.delete(path);
      this.#found.delete(uriOf(path));
      this.#tell("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
      this.#tell("pyright/deleteFile", { uri: uriOf(path) });
    }
  }

  get isClosed(): boolean {
    return this.#workers.length === 0;
  }

  close(): void {
    for (const worker of this.#workers.splice(0)) worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error("the language server has ended"));
    for (const look of this.#watching) look();
  }

  #tell(method: string, params: object): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    this.#workers[0]?.postMessage({ jsonrpc: "2.0", ...message });
  }

  #hear(message: Message): void {
    const { id, method, type, error } = message;
    if (type === "browser/newWorker") return this.#addWorker(message);
    if (method === "textDocument/publishDiagnostics") return this.#publish(message.params ?? {});
    if (method !== undefined && id !== undefined) return this.#send({ id, result: this.#answer(message) });
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(message.result as never);
  }

  /** It analyses in a second worker, and cannot start that itself. */
  #addWorker({ initialData, port }: Message): void {
    this.#spawn().postMessage({ type: "browser/boot", mode: "background", initialData, port }, port ? [port] : []);
  }

  #answer({ method, params }: Message): unknown {
    return method === "workspace/configuration" ? (params?.items ?? []).map(({ section }) => CONFIGURATION[section ?? ""] ?? {}) : null;
  }
}

/** A path of the board in the server's file system. */
export function uriOf(path: string): string {
  return `file:///board${path.split("/").map(encodeURIComponent).join("/")}`;
}

const TOP_LEVEL = /^\s*(?:(?:class|def|async def) (\w+)|([a-zA-Z]\w*)\s*(?::|=(?!=)))/gm;
const MARKUP = ["plaintext"];
const CAPABILITIES = {
  workspace: { configuration: true, workspaceFolders: true },
  textDocument: {
    completion: { completionItem: { documentationFormat: MARKUP, snippetSupport: false }, contextSupport: true },
    publishDiagnostics: { versionSupport: true },
    hover: { contentFormat: MARKUP },
    signatureHelp: { signatureInformation: { documentationFormat: MARKUP, parameterInformation: { labelOffsetSupport: true }, activeParameterSupport: true }, contextSupport: true },
  },
};
/**
 * Folders of modules beside the root: on boards of STM32 also in `/flash` (MicroPython 1.28,
 * ports/stm32/main.c, `sys.path`).
 */
const ROOTS = ["/board/lib", "/board/flash", "/board/flash/lib"];
const ANALYSIS = { typeshedPaths: [TYPESHED], stubPath: STUBS, extraPaths: ROOTS, typeCheckingMode: "off", diagnosticSeverityOverrides: SEVERITIES, diagnosticMode: "openFilesOnly", autoImportCompletions: false, autoSearchPaths: false, useLibraryCodeForTypes: true };
const CONFIGURATION: Readonly<Record<string, unknown>> = { "basedpyright.analysis": ANALYSIS, "python.analysis": ANALYSIS, python: {}, basedpyright: {} };
/** Also on a slow phone, which parses 3 MB of JavaScript and all stubs first. */
const DEADLINE_MS = 60_000;
/** Time limit of the server, which is harmless: later reports are shown later. */
const PATIENCE_MS = 20_000;
