/** State of the board: the one value that everything on the page is drawn from. */

import { texts } from "./texts/board.ts";

export type State =
  /** No board. `why` is said when a try has just failed. */
  | { kind: "loose"; why?: string }
  | { kind: "connecting"; board: string }
  /** At its prompt, or busy with something of its own. */
  | { kind: "ready"; board: string }
  /** A program, or what `doing` says. */
  | { kind: "running"; board: string; doing?: string }
  | { kind: "resetting"; board: string }
  /** It was there and is not any more. */
  | { kind: "lost"; board: string; why: string };

/** Returns true if a board is connected and listens. */
export function isConnected(state: State): boolean {
  return state.kind === "ready" || state.kind === "running" || state.kind === "resetting";
}

/** The state in words, for the eye and for a screen reader. */
export function describe(state: State): string {
  switch (state.kind) {
    case "loose":
      return texts.connectOne;
    case "connecting":
      return texts.connecting;
    case "ready":
      return texts.ready;
    case "running":
      return state.doing ?? texts.running;
    case "resetting":
      return texts.resetting;
    case "lost":
      return texts.connectionLost;
  }
}

/** Describes the state briefly, where there is little room. */
export function describeBriefly(state: State): string {
  return state.kind === "loose" ? texts.notConnected : state.kind === "lost" ? texts.lost : describe(state);
}
