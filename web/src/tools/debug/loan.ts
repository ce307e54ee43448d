/** Lends a board's link to the debugger. */

import type { OpenLink } from "flylead";
import type { Session } from "../../boards/session.ts";

/** Link lent to a conversation that leaves the board on its way to the prompt. */
export interface Loan {
  readonly link: OpenLink;
  /** Aborted when the user wants the conversation to end. */
  readonly signal: AbortSignal;
  /** Sets the receiver of input meanwhile. */
  type(listener: (bytes: Uint8Array) => void): void;
  /** Sets the description of the board's activity. */
  say(doing: string): void;
}

/** Lends the link to a conversation that is shown like a run, up to the board's prompt. */
export function lendRun<T>(session: Session, doing: string, title: string, { reset }: { reset: boolean }, work: (loan: Loan) => Promise<T>): Promise<T> {
  return session.useLinkAtPrompt(doing, { reset }, async (link, borrower) => {
    await session.screen.note(`── ${title} ──`);
    return work({ link, signal: borrower.lease.signal, type: (reader) => (borrower.read = reader), say: (said) => session.say(said) });
  });
}
