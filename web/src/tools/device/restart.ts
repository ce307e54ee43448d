/** Restarts the whole board, which may close its link. */

import { isFlyleadError } from "flylead/errors";
import type { Session } from "../../boards/session.ts";
import { texts } from "../../texts/board.ts";

/** Restarts the board with `source`; resolves once its link has closed, or it has restarted. */
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
 * Errors that end a program whose board restarts: the restart was detected, its link closed, or the board stays silent
 * and restarts.
 */
const RESTARTED: ReadonlySet<string> = new Set(["RestartedError", "LostError", "TimeoutError"]);
/** Time that a board has to disconnect, or to restart; a board on USB needs two or three seconds. */
const RESTART_MS = 10_000;
