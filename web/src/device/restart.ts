/** Restarting the whole board, which may take its link with it. */

import { isFlyleadError } from "flylead/errors";
import type { Session } from "../session.ts";
import { texts } from "../texts/board.ts";

/** Restarts it with `source`; resolves when it was seen to: its link has gone, or it has restarted. */
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

/**
 * Errors that end a program whose board restarts: the restart is seen, its link closes, or a silent
 * board starts again.
 */
const RESTARTED: ReadonlySet<string> = new Set(["RestartedError", "LostError", "TimeoutError"]);
/** Time that a board has to go, or to restart; one on USB needs two or three seconds. */
const RESTART_MS = 10_000;
