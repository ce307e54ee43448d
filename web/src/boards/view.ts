/** Draws the state of the board on the page, as a function of one value. */

import type { Peer } from "flylead";
import type { Board, Boards } from "./boards.ts";
import { element, make } from "../ui/dom.ts";
import { sentence } from "../ui/sentence.ts";
import { texts } from "../texts/board.ts";
import { describe, describeBriefly, isConnected, type State } from "./connection/state.ts";

/** Names the boards if there are several, and marks the one in front. */
export function drawBoards(boards: Boards): void {
  const several = boards.all.length > 1;
  element("boards").hidden = !several;
  element("who").classList.toggle("unseen", several);
  element("add-board").hidden = boards.all.some(({ session }) => session.state.kind === "loose" || session.state.kind === "connecting");
  element("boards").replaceChildren(...(several ? boards.all.map((board) => boardChip(boards, board)) : []));
}

function boardChip(boards: Boards, board: Board): HTMLElement {
  const { state } = board.session;
  const chip = make("button", "", "chip");
  chip.dataset.state = state.kind;
  chip.append(make("span", state.kind === "loose" ? texts.newBoard : nameIn(boards, board, state.board), "chip-name"), make("span", describeBriefly(state), "chip-state"));
  if (board === boards.current) chip.setAttribute("aria-current", "true");
  chip.addEventListener("click", () => boards.show(board));
  return chip;
}

/** Returns a board's name, with a number if several have the same one. */
function nameIn(boards: Boards, board: Board, name: string): string {
  const same = boards.all.filter(({ session }) => session.boardName === name);
  return same.length > 1 ? `${name} (${board.number})` : name;
}

export function drawState(state: State): void {
  document.body.dataset.state = state.kind;
  element("board-name").textContent = state.kind === "loose" ? texts.noBoard : state.board;
  element("board-state").textContent = describe(state);
  drawButtons(state);
  drawBoardPanel(state);
}

/** Shows Stop while something may run. */
export function drawBusy(isBusy: boolean): void {
  document.body.toggleAttribute("data-busy", isBusy);
  keepFocus("run", "stop");
}

function drawButtons(state: State): void {
  enable("run", state.kind === "ready" || state.kind === "loose");
  enable("debug", state.kind === "ready" || state.kind === "loose");
  enable("stop", isConnected(state));
  enable("reset", state.kind === "ready");
  enable("device", state.kind === "ready");
  keepFocus("run", "stop");
  keepFocus("debug", "stop");
  element("disconnect").hidden = !isConnected(state) && state.kind !== "connecting";
  element("disconnect").textContent = state.kind === "connecting" ? texts.cancel : texts.disconnect;
}

/** Keeps the focus in place when two buttons share it. */
function keepFocus(...ids: [string, string]): void {
  const [one, other] = ids.map((id) => element(id)) as [HTMLElement, HTMLElement];
  if (document.activeElement === one && !one.offsetParent) other.focus();
  else if (document.activeElement === other && !other.offsetParent) one.focus();
}

/** Draws the board panel with the ways to connect, or with the board; a lost board keeps its last output on the screen. */
function drawBoardPanel(state: State): void {
  const loose = state.kind === "loose";
  element("board-title").textContent = loose ? texts.connectBoard : texts.terminal;
  element("connect").hidden = !loose;
  element("terminal").hidden = loose;
  element("clear").hidden = loose;
  element("plot-toggle").hidden = loose;
  element("reset").hidden = loose;
  element("device").hidden = loose;
  element("packages").hidden = loose;
  drawText("failure", loose ? state.why : undefined);
  element("loss").hidden = state.kind !== "lost";
  element("flash-lost").hidden = state.kind !== "lost" || !state.peer || !MAY_LACK_FIRMWARE.has(state.peer);
  element("loss-why").textContent = state.kind === "lost" ? sentence(state.why) : "";
}

/** Peers that may be boards without MicroPython. */
const MAY_LACK_FIRMWARE: ReadonlySet<Peer> = new Set(["silent", "espDownload", "espNoFirmware", "circuitPython"]);

/** Enables or disables a button for the pointer and for screen readers; a disabled one can still hold the focus. */
function enable(id: string, enabled: boolean): void {
  element(id).ariaDisabled = String(!enabled);
}

function drawText(id: string, text: string | undefined): void {
  const place = element(id);
  place.hidden = text === undefined;
  place.textContent = text === undefined ? "" : sentence(text);
}
