/** Mounts a local folder on a board, and unmounts it. */

import type { OpenLink } from "flylead";
import type { MountNews } from "flylead/mount";
import { AT, type MountedLink } from "./connection/mounted.ts";
import type { Session } from "./session.ts";
import { texts } from "../texts/tools/files.ts";

/**
 * Mounts the folder on the board, instead of an earlier one. It is remounted after a reset, and when a lost board is
 * back.
 */
export function mount(session: Session, folder: FileSystemDirectoryHandle): Promise<void> {
  return session.replaceLink(texts.mounting, async (link) => {
    const mounted = await mountOn(link, folder, (news) => void session.screen.note(`── ${news} ──`));
    session.mounting = { folder, again: () => mount(session, folder) };
    return mounted;
  });
}

/** Unmounts the folder. */
export function unmount(session: Session): Promise<void> {
  session.mounting = undefined;
  return session.replaceLink(texts.unmounting, async (link) => link);
}

/** Mounts a folder on the board at this link, which must be at its prompt. */
async function mountOn(below: OpenLink, folder: FileSystemDirectoryHandle, tell: (news: string) => void): Promise<MountedLink> {
  if ("isolated" in below && !below.isolated) throw new Error(texts.noMountHere);
  const { init, mountFolder } = await import("flylead/mount");
  await init();
  const mounted = await mountFolder(below, folder, { at: AT, onNews: (news) => sayOf(news, tell) });
  const unmount = () => mounted.close();
  return {
    ...("isolated" in below ? { isolated: below.isolated } : {}),
    label: below.label,
    readable: mounted.readable,
    writable: mounted.writable,
    below,
    unmount,
    close: () => unmount().then(() => below.close()),
  };
}

/** Reports a failed remount after a reset, or the loss of the folder; success is no news. */
function sayOf(news: MountNews, tell: (text: string) => void): void {
  if (news.kind === "failed") tell(texts.notMountedAgain({ why: news.why }));
  if (news.kind === "folderGone") tell(texts.folderGone);
}
