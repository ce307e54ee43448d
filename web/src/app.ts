/** Connects the parts of the page to each other. What a part does is in its own file. */

import { onSerialConnect, type Outcome, type Traceback } from "flylead";
import { drawState } from "./bench.ts";
import { offerWays } from "./connect.ts";
import { makeDivider } from "./divider.ts";
import { element, make, onPress } from "./dom.ts";
import type { Editor } from "./editor.ts";
import { EXAMPLES } from "./examples.ts";
import { listenForShortcuts } from "./keys.ts";
import { hideProblem, lineOf, showProblem, summaryOf, tracebackOf } from "./problem.ts";
import { Session } from "./session.ts";
import { isConnected, type State } from "./state.ts";
import { keep, recall } from "./storage.ts";
import type { Terminal } from "./terminal.ts";
import { browserWay, type Way } from "./ways.ts";

const PROGRAM = "program";

// The heavy parts come after the page is there: the editor at once, the terminal with the first board.
const editor: Promise<Editor> = import("./editor.ts").then(({ openEditor }) =>
  openEditor(element("editor"), { text: recall(PROGRAM) ?? EXAMPLES[0]!.program, onChange: keepProgram }),
);
let terminal: Promise<Terminal> | undefined;

const session = new Session(
  { write: async (data) => (await openedTerminal()).write(data), note: async (text) => (await openedTerminal()).note(text) },
  onState,
);

drawState(session.state);
makeDivider(element("divider"), document.querySelector<HTMLElement>(".bench")!);
offerWays((way) => void connect(way));
offerExamples();
reconnectWhenPluggedIn();
listenForShortcuts({ run: () => void run(), stop, cross: () => void cross() });
onPress("run", () => void run());
onPress("stop", stop);
onPress("reset", () => void session.reset());
onPress("clear", () => void openedTerminal().then((opened) => opened.clear()));
onPress("disconnect", () => void session.disconnect());
onPress("other", () => void session.disconnect());
onPress("reconnect", () => void (session.way && connect(session.way)));

async function connect(way: Way): Promise<void> {
  await session.connect(way);
  if (isConnected(session.state)) (await openedTerminal()).focus();
}

/** Runs the program; a page without a board takes the one that is always there. */
async function run(): Promise<void> {
  if (session.state.kind === "loose") await session.connect(browserWay());
  if (session.state.kind !== "ready") return;
  await forget();
  const began = performance.now();
  const outcome = await session.run((await editor).text());
  if (outcome) await report(outcome, performance.now() - began);
  await session.settle();
}

async function report(outcome: Outcome, took: number): Promise<void> {
  const traceback = tracebackOf(outcome);
  if (traceback?.exception === "KeyboardInterrupt") return say(`stopped${atLine(traceback)}`);
  if (traceback) return blame(traceback);
  await say(`${outcome.kind === "exited" ? "left by SystemExit" : "finished"} after ${(took / 1000).toFixed(2)} s`);
}

async function blame(traceback: Traceback): Promise<void> {
  await (await openedTerminal()).write(`\x1b[31m${traceback.text.trimEnd()}\x1b[0m\n`);
  showProblem(traceback, (line) => void editor.then((opened) => opened.focus(line)));
  const line = lineOf(traceback);
  if (line !== undefined) (await editor).mark(line, summaryOf(traceback));
}

async function forget(): Promise<void> {
  hideProblem();
  (await editor).unmark();
}

/** Says it in the terminal and to a screen reader. */
async function say(text: string): Promise<void> {
  element("announcer").textContent = text;
  await (await openedTerminal()).note(`── ${text} ──`);
}

function atLine(traceback: Traceback): string {
  const line = lineOf(traceback);
  return line === undefined ? "" : ` in line ${line}`;
}

function stop(): void {
  session.stop();
}

/** To the other half of the bench. */
async function cross(): Promise<void> {
  if (!element("program").contains(document.activeElement)) return (await editor).focus();
  if (element("terminal").hidden) return element("connect-browser").focus();
  (await openedTerminal()).focus();
}

function openedTerminal(): Promise<Terminal> {
  terminal ??= import("./terminal.ts").then(({ openTerminal }) => openTerminal(element("terminal"), (bytes) => session.type(bytes)));
  return terminal;
}

function onState(state: State): void {
  drawState(state);
  if (state.kind === "lost") element("reconnect").focus();
}

/** Unsaved work survives a reload, a crash and a closed lid. */
function keepProgram(text: string): void {
  element("saved").textContent = keep(PROGRAM, text) ? "Kept in this browser" : "This browser keeps nothing: save your program elsewhere";
}

function offerExamples(): void {
  const select = element<HTMLSelectElement>("examples");
  select.append(...EXAMPLES.map(({ name }) => make("option", name)));
  select.addEventListener("change", async () => {
    const example = EXAMPLES.find(({ name }) => name === select.value);
    select.value = "";
    if (!example) return;
    await forget();
    (await editor).replace(example.program);
    (await editor).focus();
  });
}

/** A board that comes back to its cable comes back to the page. */
function reconnectWhenPluggedIn(): void {
  onSerialConnect((port) => {
    if (session.state.kind === "lost" && session.way?.port === port) void connect(session.way);
  });
}
