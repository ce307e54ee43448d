/** Connects the parts of the page. The behavior of each part is in its own file. */

import { announce } from "../ui/announcer.ts";
import { offerBeginnings } from "./beginnings.ts";
import { drawBoards, drawBusy, drawState } from "../boards/view.ts";
import { type Board, Boards } from "../boards/boards.ts";
import { offerTransports } from "../boards/connection/connect.ts";
import { makeDebugger } from "../tools/debug/debugger.ts";
import { makeDivider } from "../ui/layout/divider.ts";
import { type Document, titleOf } from "../editor/documents/document.ts";
import { Documents } from "../editor/documents/documents.ts";
import { element, onPress } from "../ui/dom.ts";
import type { Editor } from "../editor/editor.ts";
import { FIRST } from "../editor/examples/examples.ts";
import { makeFiles } from "../tools/files/files.ts";
import { makeFold } from "../ui/layout/fold.ts";
import { leadToCures, showGuide } from "../guide/cures.ts";
import { listenForShortcuts } from "../ui/keys.ts";
import { type Links, takeLinks } from "./links.ts";
import { keepForOffline } from "./offline.ts";
import { makePins } from "../boards/pins/pins.ts";
import { makePlot } from "../run/plot/plot.ts";
import { reconnectWhenPluggedIn } from "../boards/reconnect.ts";
import { makeRunner, type Runner } from "../run/run.ts";
import { isConnected, type State } from "../boards/connection/state.ts";
import { drawTabs, showConflict } from "../editor/documents/tabs.ts";
import { texts as said } from "../texts/board.ts";
import { texts } from "../texts/program.ts";
import { followSettings } from "../ui/style/theme.ts";
import { showError } from "../ui/toast.ts";
import { Tools } from "../ui/layout/tools.ts";
import { servedTransport, type Transport } from "../boards/connection/transports.ts";
import { makeReport } from "../editor/writing/report.ts";
import { surroundingsOf } from "../editor/documents/surroundings.ts";

followSettings();

// The heavy parts load after the page is shown: the editor at once, the terminal with the first board.
const editorModule = import("../editor/editor.ts");

const editor: Promise<Editor> = editorModule.then(({ openEditor }) => openEditor(element("editor"), {
  changed: (id, text) => documents.typed(id, text),
  moved: (id, breakpoints) => (documents.marked(id, breakpoints), debug.moved(id)),
  say: announce,
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
const boards: Boards = new Boards(element("terminal"), {
  changed: onState,
  link: (link) => void runner.goTo(link),
  printed: (board, data) => plot.feed(board, data),
  inputAwaited: (board) => void runner.answer(board),
  drawn: (board, changes) => pins.draw(board, changes),
  turned: (board) => board === boards.current && drawBusy(board.session.isBusy),
});
const plot = makePlot(() => boards.current);
const pins = makePins(() => boards.current);
const files = makeFiles({ editor, documents, boards, say: announce, showError });

const debug = makeDebugger({
  editor,
  documents,
  boards,
  say: (text, board) => runner.say(text, board),
  showError,
  begin: () => runner.forget(),
  saveModules: (board) => files.saveModules(board),
  report: (board, ran, outcome, took) => runner.report(board, ran, outcome, took),
  showProgram: () => tools.show("program"),
});

const offerAnew = offerTransports((transport) => void connect(transport), () => boards.current.number);
const fold = makeFold();
const tools = new Tools({
  program: async () => ({ focus: () => void editor.then((opened) => opened.focus()), dispose() {} }),
  experiments: async (parent) => {
    const [{ ExperimentsPanel }, { offerToFile }] = await Promise.all([import("../tools/experiments/panel.ts"), import("../tools/experiments/to-file.ts")]);
    const tool = new ExperimentsPanel(parent, boards);
    offerToFile(tool, boards);
    return tool;
  },
  agent: async (parent) => new (await import("../tools/agent/panel.ts")).AgentPanel(parent, boards, (place, paths) => files.changed(place, paths)),
  zylisp: async (parent) => new (await import("../tools/zylisp/panel.ts")).ZylispPanel(parent),
}, (name) => fold.useTool(name), showError);
const runner: Runner = makeRunner({ editor, documents, boards, files, plot, fold, tools });

void documents.show(documents.current);
drawFront();
makeDivider(element("divider"), document.querySelector<HTMLElement>(".panes")!);
offerBeginnings({ editor, documents, files, forget: () => runner.forget() });
reconnectWhenPluggedIn({ boards, connect, say: (text, board) => runner.say(text, board) });
const served = servedTransport();
// Opening the address printed by `flylead serve --board` connects to that board.
if (served) void connect(served);
const links: Links = takeLinks({ boards, documents, showProgram: () => tools.show("program"), showTool: (name) => tools.show(name), openPackages, announce });
keepForOffline();
endWithPage();
leadToCures(["failure", "problem", "toast"].map((id) => element(id)));
listenForShortcuts({
  run: () => (tools.current?.run ? tools.current.run() : void runner.run()),
  runSelection: () => void (element("program").hidden || runner.run({ selection: true })),
  find: () => void tools.show("program").then(() => files.find()),
  explain: () => void explain(),
  list: openShortcuts,
  stop: () => void (tools.current?.stop?.() || stop()),
  save: () => void files.save(),
  cross: () => void cross(),
  tool: (place) => void tools.showAt(place),
  debug: (command) => (!element("program").hidden || debug.isUnderWay()) && (debug.obey(command), true),
});
onPress("debug", () => void debug.start());
onPress("stop", stop);
onPress("reset", () => void boards.current.session.reset());
onPress("clear", () => (plot.clear(), void boards.current.terminal().then((opened) => opened.clear())));
onPress("disconnect", () => void boards.remove(boards.current));
onPress("shortcuts", openShortcuts);
for (const id of ["guide", "guide-first"]) onPress(id, () => showGuide());
onPress("device", () => void openDevice());
onPress("packages", () => void openPackages().catch(showError));
for (const id of ["flash", "flash-lost"]) onPress(id, () => void import("../tools/flash/dialog.ts").then(({ openFlashing }) => openFlashing(boards, connect)).catch(showError));
onPress("settings", () => void import("./settings-dialog.ts").then(({ openSettings }) => openSettings()));
onPress("other", () => void boards.remove(boards.current));
onPress("add-board", () => (fold.open(), void boards.add()));
onPress("reconnect", () => void (boards.current.session.transport && connect(boards.current.session.transport)));

/** Connects; focuses the terminal, unless the user is at work elsewhere, before or after connecting. */
async function connect(transport: Transport, board = boards.current): Promise<void> {
  const wasAtWork = isAtWork();
  await board.session.connect(transport);
  const terminal = isConnected(board.session.state) && (await board.terminal());
  if (terminal && !wasAtWork && !isAtWork() && board === boards.current) terminal.focus();
}

function isAtWork(): boolean {
  return element("work").contains(document.activeElement);
}

/** Opens MicroPython's documentation about the name at the cursor. */
async function explain(): Promise<void> {
  const { pageAbout } = await import("../editor/writing/completion/documentation.ts");
  window.open(pageAbout((await editor).nameAtCursor(), documents.current.text), "_blank", "noopener");
}

function openShortcuts(): void {
  if (!document.querySelector("dialog[open]")) void import("./shortcuts.ts").then((loaded) => loaded.openShortcuts());
}

function stop(): void {
  boards.current.session.stop();
}

/** Moves the focus to the other half of the page. */
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
  (await import("../tools/device/dialog.ts")).openDevice(board, (paths) => void files.changed(board.place, paths).catch(showError));
}

/** Opens the packages for the board in front, or the one that a link asks to `install`. */
async function openPackages(install?: string): Promise<void> {
  const board = boards.current;
  if (!isConnected(board.session.state)) throw new Error(said.noPackagesHere);
  const changed = (paths: readonly string[]) => void files.changed(board.place, paths).catch(showError);
  (await import("../tools/packages/dialog.ts")).openPackages(board, { wanted: install, changed });
}

function drawFront(): void {
  drawBusy(boards.current.session.isBusy);
  drawState(boards.current.session.state);
  drawBoards(boards);
  if (boards.current.session.state.kind === "loose") offerAnew();
  files.useBoard(boards.current);
  pins.useBoard(boards.current);
}

/** Names unsaved work that would not survive a reload, a crash or a closed lid. */
function showUnkept(unkept: readonly Document[]): void {
  const names = unkept.map((document) => titleOf(document, documents.all)).join(", ");
  const isNews = names !== "" && element("saved").textContent === texts.kept;
  element("saved").textContent = names === "" ? texts.kept : texts.notKept({ names });
  if (isNews) showError(texts.noRoom({ names }));
}

/** Ends the work of the panels with the page, unless the page may come back unchanged. */
function endWithPage(): void {
  addEventListener("pagehide", ({ persisted }) => persisted || (tools.dispose(), files.dispose()));
}

