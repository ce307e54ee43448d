/** Which board it is, so that what belongs to one is never done to another. */

import type { Board as OpenBoard } from "flylead";
import type { Board } from "./boards.ts";

export interface Identity {
  /** The same whenever the board is connected: what it says of itself, or else the way to it. */
  id: string;
  /** What the person calls it. */
  name: string;
}

/** Asks a board who it is. */
export async function identify(open: OpenBoard, { number, session }: Board): Promise<Identity> {
  const { stdout } = await open.exec(UNIQUE_ID);
  // The boards in the page are of one program, and told apart by their places on the bench.
  const name = session.way?.isInPage ? `${session.boardName} (${number})` : session.boardName;
  return { id: stdout.trim() || name, name };
}

/** MicroPython's `machine.unique_id()` (library/machine.rst, "Miscellaneous functions"), which not every port has. */
const UNIQUE_ID = `try:
    import machine
    print("".join("%02x" % byte for byte in machine.unique_id()))
except Exception:
    pass
`;
