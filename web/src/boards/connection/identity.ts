/**
 * Identifies the board at the other end of a link, whatever its port or address, so that actions on
 * one never reach another.
 */

import type { Board } from "flylead";
import type { Transport } from "./transports.ts";

/** Facts that a board reports about itself. */
export interface Said {
  id: string;
  /** The board's `sys.platform`. */
  platform: string;
  /**
   * Version, date and kind of its firmware, which boards with the same firmware share; `undefined` for a board in the
   * page.
   */
  firmware?: string;
}

/**
 * Returns the board's own number if it has one, or else its address. Thus a board is the same over USB and over the
 * network, and two boards of one kind that are plugged into one port are distinct.
 */
export async function identityOf(board: Board, transport: Transport): Promise<Said> {
  // Boards in the page run the same program, and are distinguished by their files.
  if (transport.isInPage) return { id: transport.id, platform: "webassembly" };
  const { stdout } = await board.exec(ASK);
  const unique = /^board ([0-9a-f]+)\r?$/m.exec(stdout)?.[1];
  const platform = /^platform (.*?)\r?$/m.exec(stdout)?.[1] ?? "";
  const firmware = /^firmware (.*?)\r?$/m.exec(stdout)?.[1];
  return { id: unique ? NUMBERED + unique : transport.id, platform, ...(firmware ? { firmware } : {}) };
}

/** Returns a board's name with the end of its number, which distinguishes two of a kind. */
export function nameWith(name: string, id: string): string {
  return id.startsWith(NUMBERED) ? `${name} (…${id.slice(-4)})` : name;
}

/**
 * Queries `machine.unique_id()` (MicroPython, docs/library/machine.rst, Miscellaneous functions), without a trace in
 * the globals.
 */
const ASK = `print('platform', __import__('sys').platform)
print('firmware', __import__('sys').version, getattr(__import__('sys').implementation, '_machine', ''))
try:
 print('board', ''.join('%02x' % byte for byte in __import__('machine').unique_id()))
except Exception:
 pass`;
const NUMBERED = "board:";
