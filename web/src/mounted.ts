/** Boards that have a folder of this computer: it is between the board's link and whoever talks to the board. */

import type { OpenLink } from "flylead";

/** A link to a board that has a folder of this computer. Closing it closes the one below. */
export interface MountedLink extends OpenLink {
  readonly below: OpenLink;
  /** Takes the folder from the board; the link below stays open. */
  unmount(): Promise<void>;
}

/** Returns the link as a mounted one, if a folder is on its board. */
export function mountedAt(link: OpenLink | undefined): MountedLink | undefined {
  return link && "unmount" in link ? (link as MountedLink) : undefined;
}

/** Mount point on a board. */
export const AT = "/remote";
