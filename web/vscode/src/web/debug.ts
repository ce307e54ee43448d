/** The debugger in a browser: the Debug Adapter Protocol over the npm package's debugger, inside of the editor. */

import { type DebugBreakpoint, type DebugContainer, Debugger, type DebugEnd, type DebugEvent, type DebugFrame, type DebugStep, type DebugVariable, type Debugging as Running, init } from "flylead/debug";
import * as vscode from "vscode";
import { configured, joined } from "../launch";
import { basename } from "../paths";
import type { Device } from "./device";

export class Debugging implements vscode.DebugConfigurationProvider, vscode.DebugAdapterDescriptorFactory {
  constructor(
    private readonly device: (address?: string) => Promise<Device>,
    private readonly wasm: () => Promise<BufferSource>,
  ) {}

  resolveDebugConfiguration(_folder: vscode.WorkspaceFolder | undefined, given: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
    if (given["boot"] === true) {
      void vscode.window.showErrorMessage("What the board starts by itself is debugged in Visual Studio Code on the desktop, with the flylead command.");
      return undefined;
    }
    if (joined(given)) {
      void vscode.window.showErrorMessage("A program that runs already is joined in Visual Studio Code on the desktop: the browser reaches no port of this computer.");
      return undefined;
    }
    return configured(given, (document) => document.toString());
  }

  async createDebugAdapterDescriptor({ configuration }: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
    const device = await this.device(configuration["board"] as string | undefined);
    await init(this.wasm());
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(configuration["program"] as string));
    return new vscode.DebugAdapterInlineImplementation(new Adapter(device, document));
  }
}

interface Request {
  readonly seq: number;
  readonly command: string;
  readonly arguments?: Record<string, any>;
}

/** Container behind a reference of the protocol; references hold until the program goes on. */
type Reference = DebugContainer;

class Adapter implements vscode.DebugAdapter {
  readonly #send = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  readonly onDidSendMessage = this.#send.event;
  readonly #file: string;
  #seq = 0;
  #debug: Debugger | undefined;
  #run: Running | undefined;
  #frames: readonly DebugFrame[] = [];
  #references: Reference[] = [];
  #breakpoints: DebugBreakpoint[] = [];
  #options: { stopOnEntry: boolean; raised: boolean; uncaught: boolean; parts: boolean } = { stopOnEntry: false, parts: false, raised: false, uncaught: false };
  #isEnding = false;

  constructor(
    private readonly device: Device,
    private readonly document: vscode.TextDocument,
  ) {
    this.#file = basename(document.uri.path);
  }

  dispose(): void {
    this.#run?.cancel();
  }

  handleMessage(message: vscode.DebugProtocolMessage): void {
    const request = message as Request & { type: string };
    if (request.type !== "request") return;
    Promise.resolve()
      .then(() => this.#answer(request.command, request.arguments ?? {}))
      .then(
        (body) => this.#respond(request, { success: true, body }),
        (error: unknown) => this.#respond(request, { success: false, message: error instanceof Error ? error.message : String(error) }),
      );
  }

  #answer(command: string, given: Record<string, any>): unknown {
    switch (command) {
      case "initialize":
        return this.#capabilities();
      case "launch":
        this.#options.stopOnEntry = given["stopOnEntry"] === true;
        this.#options.parts = given["parts"] === true;
        this.#event("initialized");
        return undefined;
      case "setBreakpoints":
        return this.#setBreakpoints(given);
      case "setExceptionBreakpoints":
        this.#options.raised = given["filters"].includes("raised");
        this.#options.uncaught = given["filters"].includes("uncaught");
        this.#debug?.setExceptions({ raised: this.#options.raised, uncaught: this.#options.uncaught });
        return undefined;
      case "configurationDone":
        void this.#begin();
        return undefined;
      case "threads":
        return { threads: [{ id: 1, name: "main" }] };
      case "stackTrace":
        return { stackFrames: this.#frames.map((frame, at) => this.#frame(frame, at)), totalFrames: this.#frames.length };
      case "scopes":
        return { scopes: [this.#scope("Locals", { locals: given["frameId"] }), this.#scope("Globals", { globals: given["frameId"] })] };
      case "variables":
        return this.#variables(given["variablesReference"]);
      case "evaluate":
        return this.#evaluate(given);
      case "continue":
        this.#resume("continue");
        return { allThreadsContinued: true };
      case "next":
        return this.#resume(this.#isPart(given) ? "part" : "over");
      case "stepIn":
        return this.#resume(this.#isPart(given) ? "part" : "into");
      case "stepOut":
        return this.#resume("out");
      case "pause":
        return this.#debug?.pause();
      case "terminate":
      case "disconnect":
        this.#isEnding = true;
        this.#run?.cancel();
        return undefined;
      default:
        throw new Error(`${command} is not supported in the browser`);
    }
  }

  #capabilities(): unknown {
    return {
      supportsConfigurationDoneRequest: true,
      supportsConditionalBreakpoints: true,
      supportsHitConditionalBreakpoints: true,
      supportsLogPoints: true,
      supportsEvaluateForHovers: true,
      supportsTerminateRequest: true,
      supportsSteppingGranularity: true,
      exceptionBreakpointFilters: [
        { filter: "raised", label: "Raised Exceptions" },
        { filter: "uncaught", label: "Uncaught Exceptions", default: true },
      ],
    };
  }

  #setBreakpoints(given: Record<string, any>): unknown {
    if (vscode.Uri.parse(given["source"].path).path !== this.document.uri.path) return { breakpoints: given["breakpoints"].map(() => ({ verified: false })) };
    this.#breakpoints = given["breakpoints"].map(({ line, condition, hitCondition, logMessage }: any) => ({
      line,
      ...(condition && { condition }),
      ...(hitCondition && { hits: hitCondition }),
      ...(logMessage && { log: logMessage }),
    }));
    const statuses = this.#debug?.setBreakpoints(this.#file, this.#breakpoints);
    return { breakpoints: this.#breakpoints.map(({ line }, at) => ({ verified: !statuses?.[at]?.problem, line: statuses?.[at]?.line ?? line })) };
  }

  /** Runs the program to its end, and tells the editor of each thing that happens. */
  async #begin(): Promise<void> {
    try {
      await this.device.lend(`The debugger has ${this.#file}`, async (link) => {
        const debug = Debugger.attach(link, this.#file, this.document.getText(), this.#options);
        this.#debug = debug;
        try {
          debug.setBreakpoints(this.#file, this.#breakpoints);
          this.#run = debug.run();
          if (this.#isEnding) this.#run.cancel();
          const decoder = new TextDecoder();
          for await (const event of this.#run) this.#tell(event, decoder);
          this.#ended(await this.#run);
        } finally {
          this.#debug = undefined;
          debug.close();
        }
      });
    } catch (error) {
      this.#event("output", { category: "stderr", output: `${error instanceof Error ? error.message : error}\n` });
    }
    this.#event("terminated");
  }

  #tell(event: DebugEvent, decoder: TextDecoder): void {
    if (event.kind === "output") this.#event("output", { category: "stdout", output: decoder.decode(event.bytes, { stream: true }).replaceAll("\r\n", "\n") });
    if (event.kind === "log" || event.kind === "note") this.#event("output", { category: "console", output: `${event.text}\n` });
    if (event.kind !== "stopped") return;
    this.#frames = event.frames;
    this.#references = [];
    const { part } = event;
    const said = part ? { description: `${part.expression} is ${part.value}`, text: part.statement } : { text: event.exception };
    const isException = event.reason === "raised" || event.reason === "uncaught";
    this.#event("stopped", { reason: isException ? "exception" : event.reason, threadId: 1, allThreadsStopped: true, ...said });
  }

  #ended(end: DebugEnd): void {
    if (end.kind === "raised") this.#event("output", { category: "stderr", output: end.traceback.text });
    if (end.kind === "notReady") this.#event("output", { category: "stderr", output: `${end.why}\n` });
  }

  #isPart({ granularity }: Record<string, any>): boolean {
    return this.#options.parts && granularity === "instruction";
  }

  #resume(step: DebugStep): void {
    this.#frames = [];
    this.#debug?.resume(step);
  }

  #frame({ file, line, function: name }: DebugFrame, id: number): unknown {
    const isOurs = file === this.#file;
    return { id, name, line, column: 1, source: { name: file, ...(isOurs && { path: this.document.uri.toString() }) } };
  }

  #scope(name: string, container: Reference): unknown {
    return { name, variablesReference: this.#refer(container), expensive: false };
  }

  #refer(container: Reference): number {
    return this.#references.push(container);
  }

  async #variables(reference: number): Promise<unknown> {
    const container = this.#references[reference - 1];
    if (!container || !this.#debug) return { variables: [] };
    return { variables: (await this.#debug.variables(container)).map((variable) => ({ name: variable.name, ...this.#value(variable) })) };
  }

  async #evaluate({ frameId = 0, expression }: Record<string, any>): Promise<unknown> {
    const value = await this.#debug?.evaluate(frameId, expression);
    return value ? { ...this.#value(value), result: value.text } : { result: "", variablesReference: 0 };
  }

  #value({ type, text, handle, length }: Omit<DebugVariable, "name">): { type: string; value: string; variablesReference: number } {
    const variablesReference = handle === undefined ? 0 : this.#refer({ items: { of: handle, start: 0, count: Math.min(length ?? MOST, MOST) } });
    return { type, value: text, variablesReference };
  }

  #event(event: string, body?: unknown): void {
    this.#post({ type: "event", event, body });
  }

  #respond({ seq, command }: Request, answer: { success: boolean; body?: unknown; message?: string }): void {
    this.#post({ type: "response", request_seq: seq, command, ...answer });
  }

  #post(message: object): void {
    this.#seq += 1;
    this.#send.fire({ seq: this.#seq, ...message } as vscode.DebugProtocolMessage);
  }
}

/** Limit of items of one value that are shown. */
const MOST = 100;
