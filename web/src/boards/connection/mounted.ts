/** Boards with a mounted local folder, whose machine sits between the board's link and its clients. */

import type { OpenLink } from "flylead";

/** Link to a board with a mounted local folder. Closing it closes the underlying link. */
export interface MountedLink extends OpenLink {
  readonly below: OpenLink;
  /** Unmounts the folder; the underlying link stays open. */
  unmount(): Promise<void>;
}

/** Returns the link as a mounted one, if a folder is mounted on its board. */
export function mountedAt(link: OpenLink | undefined): MountedLink | undefined {
  return link && "unmount" in link ? (link as MountedLink) : undefined;
}

/** Mount point on a board. */
export const AT = "/remote";
