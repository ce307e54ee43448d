/** A folder of this computer on a board, between the board's link and whoever talks to the board. */

import type { OpenLink } from "flylead";
import type { MountNews } from "flylead/mount";
import { texts } from "./texts/board.ts";

/** A link to a board that has a folder of this computer. Closing it closes the one below. */
export interface MountedLink extends OpenLink {
  readonly below: OpenLink;
  /** Takes the folder from the board; the link below stays open. */
  unmount(): Promise<void>;
}

/** What a link is, if a folder is on its board. */
export function mountedAt(link: OpenLink | undefined): MountedLink | undefined {
  return link && "unmount" in link ? (link as MountedLink) : undefined;
}

/** Where a board sees the folder. */
export const AT = "/remote";

/** Puts a folder on the board at this link, which is at its prompt then. */
export async function mountOn(below: OpenLink, folder: FileSystemDirectoryHandle, tell: (news: string) => void): Promise<MountedLink> {
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

/** After each reset the folder is there again: only what goes wrong is news. */
function sayOf(news: MountNews, tell: (text: string) => void): void {
  if (news.kind === "failed") tell(texts.notMountedAgain(news.why));
  if (news.kind === "folderGone") tell(texts.folderGone);
}
