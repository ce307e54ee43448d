/** What can be said about the board: the one value that everything on the page is drawn from. */

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

/** Whether there is a board that hears us. */
export function isConnected(state: State): boolean {
  return state.kind === "ready" || state.kind === "running" || state.kind === "resetting";
}

/** The state in words, for the eye and for a screen reader. */
export function describe(state: State): string {
  switch (state.kind) {
    case "loose":
      return "Connect one, or press Run to use the one in this page";
    case "connecting":
      return "Connecting…";
    case "ready":
      return "Ready";
    case "running":
      return state.doing ?? "Running";
    case "resetting":
      return "Resetting…";
    case "lost":
      return "Connection lost";
  }
}

/** The same where there is little room. */
export function describeBriefly(state: State): string {
  return state.kind === "loose" ? "Not connected" : state.kind === "lost" ? "Lost" : describe(state);
}
