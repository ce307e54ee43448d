/** Restarting the whole board, which may take its link with it. */

import { isFlyleadError } from "flylead/errors";
import type { Session } from "../session.ts";
import { texts } from "../texts/board.ts";

/** Restarts it with `source`; resolves when it was seen to: its link has gone, or it has started anew. */
export function restart(session: Session, doing: string, source: string): Promise<void> {
  return session.use(doing, async (board) => {
    try {
      await board.exec(source, { timeout: RESTART_MS });
      throw new Error(texts.didNotRestart);
    } catch (error) {
      if (!isFlyleadError(error) || !RESTARTED.has(error.name)) throw error;
      if (error.name === "RestartedError") await session.screen.note(`── ${texts.restarted} ──`);
    }
  });
}

/** How a program ends whose board restarts: it is seen to, its link goes, or a board that says nothing at all starts again. */
const RESTARTED: ReadonlySet<string> = new Set(["RestartedError", "LostError", "TimeoutError"]);
/** How long a board may take to go, or to start anew; one on USB needs two or three seconds. */
const RESTART_MS = 10_000;
