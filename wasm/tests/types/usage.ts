// Every name of the declarations, used as a page would; compiled, never run.

import {
  type AttachOptions,
  Board,
  type BrowserBoardLink,
  type Capabilities,
  type ExecResult,
  type ExportErrorCode,
  type ExportHint,
  type Fault,
  type FileEntry,
  type FileErrorKind,
  type Files,
  type FlyleadError,
  type Frame,
  hasSerial,
  init,
  isFlyleadError,
  type Link,
  type LostError,
  type Mode,
  onSerialConnect,
  onSerialDisconnect,
  openBrowserBoard,
  type OpenLink,
  openSerial,
  openSocket,
  type Outcome,
  type Progress,
  type Recovery,
  type Run,
  type TransferMethod,
  type SerialDevice,
  type SerialLink,
  serialPorts,
  type SocketLink,
  type Traceback,
  type Transfer,
  type Written,
} from "flylead";
import {
  init as initAgent,
  type AgentChange,
  type AgentCommand,
  type AgentContents,
  type AgentEdit,
  type AgentFile,
  type AgentInbox,
  type AgentPreview,
  type AgentReadRequest,
  type AgentReplyOptions,
  type AgentResult,
  type AgentSession,
  type AgentStep,
  type AgentWorkspace,
  applyEdit,
  applyReply,
  boardWorkspace,
  folderWorkspace,
  judgePath,
  looksSecret,
  newSession,
  parseInbox,
  previewReply,
  readSession,
  renderOutbox,
  showFiles,
  splitOutbox,
  writeOutbox,
} from "flylead/agent";
import {
  type DebugBreakpointStatus,
  type DebugContainer,
  type DebugEnd,
  type DebugError,
  type DebugErrorCode,
  type DebugEvent,
  type DebugExceptions,
  type DebugFrame,
  Debugger,
  type DebuggerOptions,
  type Debugging,
  type DebugPart,
  type DebugReason,
  type DebugStep,
  type DebugValue,
  type DebugVariable,
  init as initDebug,
  type SourceError,
} from "flylead/debug";
import {
  init as initExport,
  type ExportedLog,
  type ExportEvent,
  type ExportPhase,
  type ExportWarning,
  type Fetch,
  type Integrity,
  Recorder,
  type RecorderOptions,
} from "flylead/export";
import {
  type Completion,
  init as initZylisp,
  type EvalResult,
  type Evaluation,
  type Json,
  type NameInfo,
  type TraceEntry,
  Zylisp,
  type ZylispConnectOptions,
  type ZylispAttachOptions,
  type ZylispDescription,
} from "flylead/zylisp";
import { init as initZylispServer, openServer, type ZylispServerOptions } from "flylead/zylisp-server";

await init();
await Promise.all([initAgent(), initDebug(), initExport(), initZylisp(), initZylispServer()]);
await init(new URL("flylead_wasm_bg.wasm", import.meta.url));

// Links

const serial: SerialLink | undefined = hasSerial() ? await openSerial({ baudRate: 9600 }) : undefined;
const granted: SerialDevice[] = await serialPorts([{ usbVendorId: 0x2e8a }]);
const again: SerialLink = await openSerial({ port: granted[0]! });
const socket: SocketLink = await openSocket("ws://localhost", { password: async () => "x", timeout: 1000 });
const page: BrowserBoardLink = await openBrowserBoard({ files: { "/main.py": "print(1)" }, heapSize: 1 << 20 });
const files: Map<string, Uint8Array> = page.files();
const stop: () => void = onSerialConnect((port) => port.getInfo().usbProductId);
onSerialDisconnect(() => stop());
const links: OpenLink[] = [again, socket, page, ...(serial ? [serial] : [])];
const anyLink: Link = { readable: null, writable: null };

// Boards

const options: AttachOptions = { enterTimeout: 1000, replyTimeout: 1000, rawPaste: false, outputLimit: 1 << 20 };
using board: Board = Board.attach(links[0] ?? anyLink, options);
const mode: Mode = board.mode;
const silence: () => void = board.onMode((next: Mode) => console.log(next, mode));
const { stdout, bytes, exited }: ExecResult = await board.exec(new Uint8Array([0x31]), { timeout: 10 });
const run: Run = board.run("print(1)");
for await (const text of run) console.log(text.length, run.dropped);
const decoded: ReadableStream<string> = run.readable.pipeThrough(new TextDecoderStream());
const outcome: Outcome = await run.done;
const prompt: ReadableStream<string> = board.terminal.readable.pipeThrough(new TextDecoderStream());
await board.terminal.writable.getWriter().write(bytes);
board.interrupt();
board.send("x");
await board.enter();
await board.softReset();
await board.leave();

// Files

const boardFiles: Files = board.files;
const entries: FileEntry[] = [...(await boardFiles.list()), ...(await boardFiles.tree("/lib", { hashes: true }))];
const modified: Date | undefined = (await boardFiles.stat("/main.py")).modified;
const reading: Transfer<Uint8Array> = boardFiles.read("/main.py");
for await (const { done, total } of reading) console.log(done, total satisfies Progress["total"]);
const content: Uint8Array = await reading;
const { bytes: size, onWire, method }: Written = await boardFiles.write("/main.py", "print(1)");
for await (const { entries } of boardFiles.writeTree([{ path: "/lib" }, { path: "/lib/a.py", data: "a = 1\n" }])) console.log(entries);
const means: TransferMethod = method;
await boardFiles.append("/main.py", content).done;
boardFiles.append("/main.py", content).cancel();
await boardFiles.remove("/lib", { recursive: true });
await boardFiles.makeDirectory("/lib", { parents: true });
await boardFiles.rename("/a", "/b");
await boardFiles.touch("/c");
const { total, free } = await boardFiles.space();
const hash: string = await boardFiles.sha256("/c");
const { readsBinary, freeMemory }: Capabilities = await boardFiles.capabilities();
console.log(entries, modified, size, onWire, means, total - free, hash, readsBinary, freeMemory);

const lost: LostError | undefined = await board.lost;
await board.close();
console.log(stdout, exited, files, decoded, prompt, lost?.reason, silence);

// Experiments

const limits: RecorderOptions = { timeout: 1, idleTimeout: 1, sizeLimit: 1, keepLog: true, requireChecksum: true, outputLimit: 1 };
await using recorder: Recorder = Recorder.attach(anyLink, limits);
recorder.start("run001");
recorder.stop();
recorder.send("STATUS\n");
const phase: ExportPhase = recorder.phase;
const chatter: ReadableStream<string> = recorder.chatter.pipeThrough(new TextDecoderStream());
const fetching: Fetch = recorder.fetch("run001");
for await (const event of fetching) console.log(received(event));
const log: ExportedLog = await fetching;
const proof: Integrity = log.integrity;
const oddities: readonly ExportWarning[] = log.warnings;
fetching.cancel();
console.log(phase, chatter, proof, oddities, log.bytes, log.crc32 + log.sha256, await fetching.done, await recorder.lost);

function received(event: ExportEvent): number {
  switch (event.kind) {
    case "chatter":
    case "body":
      return event.bytes.length;
    case "begun":
      return event.framing === "sized" ? (event.total ?? 0) : 0;
    case "asked":
    case "reset":
      return 0;
  }
}

function line(outcome: Outcome): number | undefined {
  switch (outcome.kind) {
    case "raised":
      return last(outcome.traceback)?.line;
    case "timedOut":
      return outcome.traceback && last(outcome.traceback)?.line;
    case "completed":
    case "exited":
    case "restarted":
      return undefined;
  }
}

function last({ frames, kind, recovery }: Traceback): Frame | undefined {
  const fault: Fault = kind;
  const advice: Recovery = recovery;
  console.log(fault, advice, line(outcome));
  return frames.at(-1);
}

// Zylisp REPLs

const connecting: ZylispConnectOptions = { codec: "msgpack", token: "secret", timeout: 1000, outputLimit: 1000 };
await using remote: Zylisp = await Zylisp.connect(new URL("ws://localhost:5556"), connecting);
const serving: ZylispServerOptions = { evalTimeout: 1000 };
const attaching: ZylispAttachOptions = { codec: "json", outputLimit: 1000 };
using here: Zylisp = Zylisp.attach(openServer(serving), attaching);
const evaluation: Evaluation = here.eval("(+ 1 2)");
for await (const text of evaluation) console.log(text.length, evaluation.dropped);
evaluation.cancel();
const ended: EvalResult = await evaluation;
const five: Json = ended.kind === "value" ? ended.value : ended.kind === "error" ? ended.type + ended.message : ended.output;
const place: TraceEntry | undefined = ended.kind === "error" ? ended.trace[0] : undefined;
const rest: EvalResult | undefined = ended.kind === "value" && ended.more ? await here.more(1000) : undefined;
const names: Completion[] = await here.complete("ca");
const info: NameInfo | undefined = await here.lookUp("car");
console.log(place?.line, place?.function, rest?.output, names[0]?.candidate, info?.usage, here.eval("1", { file: "one.zl", page: 100 }));
const loaded: EvalResult = await remote.load("two.zylisp").done;
const described: ZylispDescription = await remote.describe();
const found: boolean = await remote.interrupt(described.session);
const why: LostError | undefined = await remote.lost;
console.log(five, loaded.omitted, found, why?.reason, described["limits"]);
await remote.close();

/** The compiler must know every name, or this does not compile. */
function say(error: FlyleadError): string {
  switch (error.name) {
    case "ProgramError":
      return error.traceback.exception + error.stdout;
    case "TimeoutError":
      return error.traceback?.message ?? error.stdout ?? "";
    case "TooLongError":
      return `${error.limit}`;
    case "ControlByteError":
      return `${error.offset}`;
    case "DebugError":
      return error.code;
    case "SourceError":
      return `${error.file}:${error.line}:${error.column}`;
    case "LostError":
      return error.reason;
    case "MountError":
      return error.message;
    case "FileError": {
      const kind: FileErrorKind = error.kind;
      return kind === "notFound" ? error.path : (error.traceback?.message ?? "");
    }
    case "ExportError": {
      const [code, hint]: [ExportErrorCode, ExportHint] = [error.code, error.hint];
      return error.retryable ? hint : code;
    }
    case "BusyError":
    case "CancelledError":
    case "ClosedError":
    case "EditError":
    case "LinkError":
    case "NotRunningError":
    case "PasswordError":
    case "PathError":
    case "RejectedError":
    case "RestartedError":
    case "SessionError":
    case "RefusedError":
    case "UnsupportedError":
      return error.message;
  }
}

try {
  await board.exec("");
} catch (error) {
  if (isFlyleadError(error)) say(error);
}

// @ts-expect-error A board is attached, never constructed.
new Board();
// @ts-expect-error Both streams are part of a link.
Board.attach({ readable: null });

/** The agent's loop, with every type of it. */
export async function loop(handle: FileSystemDirectoryHandle, board: Board): Promise<string> {
  const workspaces: AgentWorkspace[] = [folderWorkspace(handle), boardWorkspace(board, { root: "/app", timeout: 1000 })];
  const [workspace = boardWorkspace(board)] = workspaces;
  let session: AgentSession = newSession("task", { editNumbering: "sequential", eol: "crlf", truncate: "head" });
  const changes: AgentChange[] = [];
  const options: AgentReplyOptions = {
    strict: true,
    approve: async (step: AgentStep) => step.kind !== "run" || step.command === "ls",
    onChange: (change) => void changes.push(change),
    force: false,
  };
  const inbox: AgentInbox = parseInbox("reply", { stripFences: true });
  const commands: (AgentCommand | undefined)[] = inbox.items.map(({ command }) => command);
  for (const command of commands) if (command?.kind === "EDIT_FILE") console.log(command.lines.first);
  const preview: { previews: AgentPreview[]; results: readonly AgentResult[] } = await previewReply(session, "", workspace);
  for (const step of preview.previews) console.log(step.kind === "run" ? step.command : step.after?.length);
  ({ session } = await applyReply(session, "reply", workspace, options));
  const edit: AgentEdit = { startLine: 1, endLine: 1, replacement: applyEdit.name };
  console.log(applyEdit(new Uint8Array(), edit), judgePath("a"), looksSecret("a", "x")?.length, readSession(JSON.stringify(session)), changes[0]?.before?.length);
  const files: AgentFile[] = await workspace.list();
  const requests: AgentReadRequest[] = ["a", { path: "b", numbered: true }];
  const contents: AgentContents[] = showFiles(requests, ["why not", new Uint8Array()]);
  const text = renderOutbox({ session, files, contents }) + (await writeOutbox(session, workspace));
  return splitOutbox(text, session, 4000).join("");
}

/** A program under the debugger, with every type of it. */
export async function debug(link: Link): Promise<DebugEnd | DebugErrorCode | number> {
  const options: DebuggerOptions = { modules: { "lib/a.py": "" }, stopOnEntry: true, uncaught: true, raised: false, withoutCallers: false, reset: false, outputLimit: 1 };
  const debug = Debugger.attach(link, "main.py", "print(1)", options);
  const statuses: DebugBreakpointStatus[] = debug.setBreakpoints("main.py", [{ line: 1, condition: "x", hits: ">1", log: "{x}" }]);
  const run: Debugging = debug.run();
  for await (const event of run) await see(event);
  const end: DebugEnd | Error = await run.done.catch((error: Error) => error);
  debug.close();
  if (!(end instanceof Error)) return end;
  if (!isFlyleadError(end)) throw end;
  if (end.name === "DebugError") return (end satisfies DebugError).code;
  if (end.name === "SourceError") return (end satisfies SourceError).line + statuses[0]!.id;
  throw end;

  async function see(event: DebugEvent): Promise<void> {
    if (event.kind === "output") console.log(event.bytes.length);
    if (event.kind !== "stopped") return;
    const { reason, frames, exception }: { reason: DebugReason; frames: DebugFrame[]; exception: string | undefined } = event;
    const part: DebugPart | undefined = event.part;
    if (part) console.log(part.becoming, part.value, part.statement.slice(part.at, part.at + part.length));
    const locals: DebugContainer = { locals: 0 };
    const variables: DebugVariable[] = await debug.variables(locals);
    const items = await debug.variables({ items: { of: variables[0]?.handle ?? 1, start: 0, count: 10 } });
    const value: DebugValue | undefined = await debug.evaluate(0, "x");
    await debug.setVariable(0, { globals: 0 }, "x", "2");
    console.log(reason, frames[0]?.line, exception, items, value?.text);
    const step: DebugStep = "over";
    debug.send("typed");
    debug.pause();
    debug.setExceptions({ raised: true } satisfies DebugExceptions);
    debug.resume(step);
  }
}
