/** State of the board: the value from which everything on the page is drawn. */

import type { Peer } from "flylead";
import { texts } from "../../texts/board.ts";

export type State =
  /** No board. `why` is given after a failed attempt. */
  | { kind: "loose"; why?: string }
  | { kind: "connecting"; board: string }
  /** At its prompt, or busy with an activity of its own. */
  | { kind: "ready"; board: string }
  /** Running a program, or the activity in `doing`. */
  | { kind: "running"; board: string; doing?: string }
  | { kind: "resetting"; board: string }
  /** A board that was connected and is no longer; `peer` is what is there if no board answered. */
  | { kind: "lost"; board: string; why: string; peer?: Peer | undefined };

/** Returns true if a board is connected and responds. */
export function isConnected(state: State): boolean {
  return state.kind === "ready" || state.kind === "running" || state.kind === "resetting";
}

/** Describes the state, for display and for screen readers. */
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
