/** The drawn board above the terminal, shown once a program uses a pin, or on request. */

import type { Board } from "../boards.ts";
import { askWhether } from "../../ui/dialog.ts";
import { element, onPress } from "../../ui/dom.ts";
import type { Drawing, PinsPanel } from "./panel.ts";
import type { Drawn } from "../terminal/screen.ts";
import { change, type Machine, settings } from "../../storage/settings.ts";
import { isConnected } from "../connection/state.ts";
import { texts } from "../../texts/board.ts";
import { showError } from "../../ui/toast.ts";

export interface Pins {
  /** Draws changes with the next frame of the page. Further changes have to wait until it resolves. */
  draw(board: Board, changes: Drawn): Promise<void>;
  /** Handles another board in front, or its changed state. */
  useBoard(board: Board): void;
}

export function makePins(front: () => Board): Pins {
  const drawings = new WeakMap<Board, Drawing>();
  let panel: Promise<PinsPanel> | undefined;
  /** Board that the panel shows. */
  let drawn: Board | undefined;
  /** True once the user has closed it: it then stays closed. */
  let isUnwanted = false;
  /** True once it was opened: it comes back with a board that has pins. */
  let isWanted = false;
  onPress("pins-toggle", () => {
    isUnwanted = isOpen();
    isWanted = !isUnwanted;
    void open(!isOpen()).catch(showError);
  });

  function drawingOf(board: Board): Drawing {
    const drawing = drawings.get(board) ?? makeDrawing(board);
    drawings.set(board, drawing);
    return drawing;
  }

  async function open(wanted: boolean): Promise<void> {
    element("pins").hidden = !wanted;
    element("pins-toggle").ariaExpanded = String(wanted);
    if (!wanted) return (await panel)?.release();
    panel ??= load();
    drawn = front();
    (await panel).show(drawingOf(drawn));
  }

  async function load(): Promise<PinsPanel> {
    const { PinsPanel } = await import("./panel.ts");
    return new PinsPanel(element("pins"), { become: (machine) => void become(machine).catch(showError) });
  }

  /** Restarts the board as this machine. */
  async function become(machine: Machine): Promise<void> {
    const board = front();
    const { session } = board;
    const mayEnd = session.state.kind === "ready" || (await askWhether(texts.becomeAsked, `${texts.becomeExplained}.`, texts.becomeAction));
    if (!mayEnd) return (await panel)?.show(drawingOf(board));
    change({ machine });
    if (session.transport?.isInPage) await session.connect(session.transport);
  }

  return {
    async draw(board, changes) {
      const drawing = drawingOf(board);
      note(drawing.parts, changes);
      await new Promise(requestAnimationFrame);
      if (board !== front() || isUnwanted) return;
      if (isOpen()) (await panel)?.update(drawing, changes.map(([part]) => part));
      else if (drawing.parts.size > 0) await open((isWanted = true)).catch(showError);
    },
    useBoard(board) {
      const hasPins = isConnected(board.session.state) && board.session.transport?.isInPage === true;
      element("pins-toggle").hidden = !hasPins;
      if (!hasPins) {
        drawings.delete(board);
        return void open(false);
      }
      if (isWanted && (!isOpen() || board !== drawn)) void open(true).catch(showError);
    },
  };
}

function makeDrawing({ session }: Board): Drawing {
  return {
    parts: new Map(),
    positions: new Map(),
    get machine() {
      return session.machine ?? settings().machine;
    },
    input: (input) => session.setInput(input),
  };
}

/** Limit of parts of a board: more than the number of pins. */
const MOST = 128;

function note(parts: Map<string, string>, changes: Drawn): void {
  for (const [part, value] of changes) {
    if (value === "") parts.delete(part);
    else if (parts.has(part) || parts.size < MOST) parts.set(part, value);
  }
}

function isOpen(): boolean {
  return !element("pins").hidden;
}
