/** Connects the parts of the page to each other. What a part does is in its own file. */

import type { Frame, Outcome, SerialDevice, Traceback } from "flylead";
import { drawBoards, drawState } from "./board-state.ts";
import { type Board, Boards } from "./boards.ts";
import { showError } from "./toast.ts";
import { offerTransports } from "./connect.ts";
import { makeDebugger } from "./debugger.ts";
import { makeDivider } from "./divider.ts";
import { type Document, titleOf } from "./document.ts";
import { Documents } from "./documents.ts";
import { element, onPress } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { example, EXAMPLES, FIRST, isExample } from "./examples.ts";
import { makeFiles } from "./files.ts";
import { nameOf } from "./files/place.ts";
import { makeFold } from "./fold.ts";
import { leadToCures, showGuide } from "./guide/cures.ts";
import { listenForShortcuts } from "./keys.ts";
import { type Links, takeLinks } from "./links.ts";
import { keepForOffline } from "./offline.ts";
import { drawTabs, showConflict } from "./tabs.ts";
import { makePlot } from "./plot.ts";
import { adviceInPage, hideProblem, lineOf, SENT, showProblem, summaryOf, tracebackOf } from "./problem.ts";
import { runProgram } from "./program.ts";
import { isConnected, type State } from "./state.ts";
import { onSerialConnect } from "./serial.ts";
import { Activity } from "./activity.ts";
import { texts as said } from "./texts/board.ts";
import { decimal } from "./texts/index.ts";
import { texts } from "./texts/program.ts";
import { settings } from "./settings.ts";
import { followSettings } from "./theme.ts";
import { Tools } from "./tools.ts";
import { makeReport } from "./writing/report.ts";
import { surroundingsOf } from "./writing/surroundings.ts";
import { isAlike, servedTransport, type Transport } from "./transports.ts";
import { browserTransport } from "./page-board/transport.ts";

followSettings();

// The heavy parts come after the page is there: the editor at once, the terminal with the first board.
const editorModule = import("./editor.ts");

const editor: Promise<Editor> = editorModule.then(({ openEditor }) => openEditor(element("editor"), {
  changed: (id, text) => documents.typed(id, text),
  moved: (id, breakpoints) => (documents.marked(id, breakpoints), debug.moved(id)),
  say: (text) => announce(text),
  valueOf: (expression) => debug.valueOf(expression),
  report: makeReport(),
  surroundings: () => surroundingsOf(documents, boards.current),
}));

const documents: Documents = new Documents({
  editor,
  program: FIRST,
  changed: () => drawTabs(documents),
  conflict: (conflict) => showConflict(documents, conflict, showError),
  unkept: showUnkept,
});
const boards: Boards = new Boards(element("terminal"), { changed: onState, link: (link) => void goTo(link), printed: (board, data) => plot.feed(board, data), inputAwaited: (board) => void answer(board) });
/** Whether the person has done anything since the program began. */
const activity = new Activity();
const plot = makePlot(() => boards.current);
const files = makeFiles({ editor, documents, boards, say: (text) => void announce(text), showError });

const debug = makeDebugger({ editor, documents, boards, say, showError, begin: forget, saveModules: (board) => files.saveModules(board), report, showProgram: () => tools.show("program") });

const offerAnew = offerTransports((transport) => void connect(transport), () => boards.current.number);
const fold = makeFold();
const tools = new Tools({
  program: async () => ({ focus: () => void editor.then((opened) => opened.focus()), dispose() {} }),
  experiments: async (parent) => {
    const [{ ExperimentsPanel }, { offerToFile }] = await Promise.all([import("./experiments/panel.ts"), import("./experiments/to-file.ts")]);
    const tool = new ExperimentsPanel(parent, boards);
    offerToFile(tool, boards);
    return tool;
  },
  agent: async (parent) => new (await import("./agent/panel.ts")).AgentPanel(parent, boards, (place, paths) => files.changed(place, paths)),
  zylisp: async (parent) => new (await import("./zylisp/panel.ts")).ZylispPanel(parent),
}, (name) => fold.useTool(name), showError);

void documents.show(documents.current);
drawFront();
makeDivider(element("divider"), document.querySelector<HTMLElement>(".panes")!);
offerBeginnings();
reconnectWhenPluggedIn();
takeServedBoard();
const links: Links = takeLinks({ boards, documents, showProgram: () => tools.show("program"), openPackages, announce });
keepForOffline();
endWithPage();
leadToCures(["failure", "problem", "toast"].map((id) => element(id)));
listenForShortcuts({
  run: () => (tools.current?.run ? tools.current.run() : void run()),
  runSelection: () => void (element("program").hidden || run({ selection: true })),
  find: () => void tools.show("program").then(() => files.find()),
  explain: () => void explain(),
  list: openShortcuts,
  stop: () => void (tools.current?.stop?.() || stop()),
  save: () => void files.save(),
  cross: () => void cross(),
  tool: (place) => void tools.showAt(place),
  debug: (command) => (!element("program").hidden || debug.isUnderWay()) && (debug.obey(command), true),
});
onPress("run", () => void run());
onPress("debug", () => void debug.start());
onPress("stop", stop);
onPress("reset", () => void boards.current.session.reset());
onPress("clear", () => (plot.clear(), void boards.current.terminal().then((opened) => opened.clear())));
onPress("disconnect", () => void boards.remove(boards.current));
onPress("shortcuts", openShortcuts);
for (const id of ["guide", "guide-first"]) onPress(id, () => showGuide());
onPress("device", () => void openDevice());
onPress("packages", () => void openPackages().catch(showError));
onPress("settings", () => void import("./settings/dialog.ts").then(({ openSettings }) => openSettings()));
onPress("other", () => void boards.remove(boards.current));
onPress("add-board", () => (fold.open(), void boards.add()));
onPress("reconnect", () => void (boards.current.session.transport && connect(boards.current.session.transport)));

/** Connects; the focus goes to the terminal, unless the person is at work elsewhere, or is by the time that it is there. */
async function connect(transport: Transport, board = boards.current): Promise<void> {
  const wasAtWork = isAtWork();
  await board.session.connect(transport);
  const terminal = isConnected(board.session.state) && (await board.terminal());
  if (terminal && !wasAtWork && !isAtWork() && board === boards.current) terminal.focus();
}

function isAtWork(): boolean {
  return element("work").contains(document.activeElement);
}

/**
 * Runs the document that is shown, or what is selected of it, with what earlier runs have left; a page without a board takes
 * the one that is always there.
 */
async function run({ selection = false } = {}): Promise<void> {
  const board = boards.current;
  fold.open();
  if (board.session.state.kind === "loose") await board.session.connect(browserTransport());
  if (!board.session.canRun) return;
  await forget();
  const ran = documents.current;
  if (!(await files.saveModules(board).catch(refuse))) return;
  activity.begin();
  plot.clear();
  const began = performance.now();
  const text = selection ? alone((await editor).selection()) : ran.text;
  const outcome = await runProgram(board.session, text, { anew: !selection && settings().resetOnRun });
  if (outcome) await report(board, ran, outcome, performance.now() - began);
  await board.session.settle();
}

/** Lines as a program of their own, in which they have the numbers that they have in the document. */
function alone({ text, line }: { text: string; line: number }): string {
  const lines = text.split(/\r?\n/);
  const indents = lines.filter((one) => one.trim() !== "").map((one) => /^[ \t]*/.exec(one)![0].length);
  const indent = Math.min(...indents, text.length);
  return "\n".repeat(line - 1) + lines.map((one) => one.slice(indent)).join("\n");
}

/** Opens MicroPython's documentation at the name at the cursor. */
async function explain(): Promise<void> {
  const { pageAbout } = await import("./documentation.ts");
  window.open(pageAbout((await editor).nameAtCursor(), documents.current.text), "_blank", "noopener");
}

function openShortcuts(): void {
  if (!document.querySelector("dialog[open]")) void import("./shortcuts.ts").then((loaded) => loaded.openShortcuts());
}

/** Says why not. */
function refuse(error: unknown): false {
  showError(error);
  return false;
}

/** Who has done nothing since the program began is asked by it: the terminal takes the focus. */
async function answer(board: Board): Promise<void> {
  const terminal = await board.terminal();
  if (board === boards.current && !activity.isSeen && !element("terminal").hidden) terminal.focus();
}

/** Says how a program ended; an exception marks its line. */
async function report(board: Board, ran: Document, outcome: Outcome, took: number): Promise<void> {
  const traceback = tracebackOf(outcome);
  if (traceback?.exception === "KeyboardInterrupt") return say(stoppedAt(lineOf(traceback)), board);
  if (traceback) return blame(board, ran, traceback);
  await say(said.after(ENDS[outcome.kind], decimal(took / 1000, 2)), board);
}

async function blame(board: Board, ran: Document, traceback: Traceback): Promise<void> {
  await (await board.terminal()).write(`\x1b[31m${traceback.text.trimEnd()}\x1b[0m\n`);
  await tools.show("program");
  if (documents.all.includes(ran)) await documents.show(ran);
  showProblem(traceback, (frame) => void goTo(frame), board.session.transport?.isInPage ? adviceInPage(traceback) : undefined);
  const line = lineOf(traceback);
  if (line !== undefined) (await editor).mark(line, summaryOf(traceback));
}

/** How a program ended that left no traceback. */
const ENDS: Record<Outcome["kind"], string> = {
  completed: said.finished,
  raised: said.finished,
  exited: said.exited,
  restarted: said.restarted,
  timedOut: said.stopped,
};

/** To a line of the program that was sent, or of a file on the board. */
async function goTo({ file, line }: Pick<Frame, "file" | "line">): Promise<void> {
  try {
    await tools.show("program");
    if (file !== SENT) await files.open(boards.current.place, file.startsWith("/") ? file : `/${file}`);
    (await editor).focus(line);
  } catch (error) {
    showError(error);
  }
}

async function forget(): Promise<void> {
  hideProblem();
  (await editor).unmark();
}

/** Says it in the terminal and to a screen reader. */
async function say(text: string, board: Board): Promise<void> {
  announce(text);
  await (await board.terminal()).note(`── ${text} ──`);
}

/** Says it to a screen reader. */
function announce(text: string): void {
  element("announcer").textContent = text;
}

function stoppedAt(line: number | undefined): string {
  return line === undefined ? said.stopped : said.stoppedInLine(line);
}

function stop(): void {
  boards.current.session.stop();
}

/** To the other half of the page. */
async function cross(): Promise<void> {
  if (!isAtWork()) return tools.current?.focus();
  fold.open();
  if (element("terminal").hidden) return element("connect-browser").focus();
  (await boards.current.terminal()).focus();
}

function onState(board: Board, state: State): void {
  if (board === boards.current && state.kind === "ready") links.ready();
  if (board === boards.current) drawFront();
  else drawBoards(boards);
  if (board === boards.current && state.kind === "lost" && element("board").contains(document.activeElement)) element("reconnect").focus();
}

async function openDevice(): Promise<void> {
  const board = boards.current;
  if (board.session.state.kind !== "ready") return;
  (await import("./device/dialog.ts")).openDevice(board, (paths) => void files.changed(board.place, paths).catch(showError));
}

/** Packages for the board in front, or the one that a link asks to `install`. */
async function openPackages(install?: string): Promise<void> {
  const board = boards.current;
  if (!isConnected(board.session.state)) throw new Error(said.noPackagesHere);
  const changed = (paths: readonly string[]) => void files.changed(board.place, paths).catch(showError);
  (await import("./packages/dialog.ts")).openPackages(board, { wanted: install, changed });
}

function drawFront(): void {
  drawState(boards.current.session.state);
  drawBoards(boards);
  if (boards.current.session.state.kind === "loose") offerAnew();
  files.useBoard(boards.current);
}

/** Unsaved work survives a reload, a crash and a closed lid; what does not is named. */
function showUnkept(unkept: readonly Document[]): void {
  const names = unkept.map((document) => titleOf(document, documents.all)).join(", ");
  const isNews = names !== "" && element("saved").textContent === texts.kept;
  element("saved").textContent = names === "" ? texts.kept : texts.notKept(names);
  if (isNews) showError(texts.noRoom(names));
}

/** What a program begins with: nothing, a file, an example. None of them takes the place of somebody's work. */
function offerBeginnings(): void {
  const select = element<HTMLSelectElement>("begin");
  element("examples").append(...EXAMPLES.map((file) => new Option(texts.examples[file], file)));
  select.addEventListener("change", () => {
    const chosen = select.value;
    select.value = "";
    void begin(chosen).catch(showError);
  });
}

async function begin(chosen: string): Promise<void> {
  if (chosen === "open") return files.openOnComputer();
  if (chosen === "save") return files.saveOnComputer();
  if (chosen === "guide") return showGuide();
  if (chosen === "share") return share(documents.current);
  const text = (await example(chosen)) ?? "";
  await forget();
  if (await isUntouched(documents.current)) (await editor).replace(text);
  else await documents.begin(text);
  (await editor).focus();
}

async function share({ where, name, text }: Document): Promise<void> {
  await (await import("./share.ts")).openShare({ name: where ? nameOf(where.path) : name, text });
}

/** Whether there is nothing of the person's in a document. */
async function isUntouched({ where, name, text }: Document): Promise<boolean> {
  return !where && name === undefined && (text.trim() === "" || (await isExample(text)));
}

/** What the panels have begun ends with the page, unless that may come back as it was. */
function endWithPage(): void {
  addEventListener("pagehide", ({ persisted }) => persisted || (tools.dispose(), files.dispose()));
}

/** Who opened the address that `flylead serve --board` printed wants that board. */
function takeServedBoard(): void {
  const transport = servedTransport();
  if (transport) void connect(transport);
}

/** A board that comes back to its cable comes back to the page. */
function reconnectWhenPluggedIn(): void {
  onSerialConnect(async (port) => {
    const board = lostBoard(port);
    if (!board?.session.transport) return;
    board.session.transport.moveTo?.(port);
    await connect(board.session.transport, board);
    if (isConnected(board.session.state)) await say(said.pluggedIn, board);
  });
}

/** The board that was lost and is at this port again. Of two that look alike nobody knows which it is. */
function lostBoard(port: SerialDevice): Board | undefined {
  const lost = boards.all.filter(({ session }) => session.state.kind === "lost" && session.transport?.port && isAlike(session.transport.port, port));
  return lost.length === 1 ? lost[0] : lost.find(({ session }) => session.transport?.port === port);
}
