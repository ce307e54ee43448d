/** Lends a board's link, or its program's output and input, to another conversation. */

import type { OpenLink } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { type Program, programOn } from "../../run/program.ts";
import type { Session } from "../../boards/session.ts";
import { texts } from "../../texts/board.ts";

/**
 * Lends the board's link to another conversation, and reclaims it when that has ended; while a program runs, lends the
 * program's output and input instead. `signal` is aborted when the user wants the conversation to end.
 */
export function lend<T>(session: Session, doing: string, work: (link: OpenLink, signal: AbortSignal) => Promise<T>): Promise<T> {
  const program = programOn(session);
  return program && !program.isLent ? lendProgram(session, program, doing, work) : session.useLink(doing, work);
}

/** Lends the input and output of a running program, which then talks only to the other conversation. */
async function lendProgram<T>(session: Session, program: Program, doing: string, work: (link: OpenLink, signal: AbortSignal) => Promise<T>): Promise<T> {
  const { lease } = (session.borrower = { lease: new AbortController() });
  session.say(doing);
  try {
    return await program.lend(doing, (link) => work(link, lease.signal));
  } catch (error) {
    if (!program.isOver || !isFlyleadError(error) || error.name !== "LostError") throw error;
    throw new Error(texts.programEnded);
  } finally {
    session.borrower = undefined;
    if (!program.isOver) session.say();
  }
}
