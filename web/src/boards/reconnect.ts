/** Reconnects a board that was plugged in again. */

import type { SerialDevice } from "flylead";
import type { Board, Boards } from "./boards.ts";
import { onSerialConnect } from "./connection/serial.ts";
import { isConnected } from "./connection/state.ts";
import { texts } from "../texts/board.ts";
import { isAlike, type Transport } from "./connection/transports.ts";

export interface ReconnectOptions {
  boards: Boards;
  connect: (transport: Transport, board: Board) => Promise<void>;
  /** Announces a text in the terminal and to screen readers. */
  say: (text: string, board: Board) => Promise<void>;
}

export function reconnectWhenPluggedIn({ boards, connect, say }: ReconnectOptions): void {
  onSerialConnect(async (port) => {
    const board = lostBoard(boards, port);
    if (!board?.session.transport) return;
    board.session.transport.moveTo?.(port);
    await connect(board.session.transport, board);
    if (isConnected(board.session.state)) await say(texts.pluggedIn, board);
  });
}

/** Returns the lost board that is back at this port. If two look alike, it is ambiguous. */
function lostBoard(boards: Boards, port: SerialDevice): Board | undefined {
  const lost = boards.all.filter(({ session }) => session.state.kind === "lost" && session.transport?.port && isAlike(session.transport.port, port));
  return lost.length === 1 ? lost[0] : lost.find(({ session }) => session.transport?.port === port);
}
