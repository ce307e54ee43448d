/** Putting a folder of this computer on a board, and taking it away. */

import { mountOn } from "./mounted.ts";
import type { Session } from "./session.ts";
import { texts } from "./texts/board.ts";

/**
 * Puts the folder on the board, instead of an earlier one. After a reset, and when a board that was lost is back, it is there
 * again.
 */
export function mount(session: Session, folder: FileSystemDirectoryHandle): Promise<void> {
  return session.replaceLink(texts.mounting, async (link) => {
    const mounted = await mountOn(link, folder, (news) => void session.screen.note(`── ${news} ──`));
    session.mounting = { folder, again: () => mount(session, folder) };
    return mounted;
  });
}

/** Takes the folder from the board. */
export function unmount(session: Session): Promise<void> {
  session.mounting = undefined;
  return session.replaceLink(texts.unmounting, async (link) => link);
}
