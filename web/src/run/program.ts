/** Programs running on boards: their output goes to the screen, or to another conversation that borrows it. */

import type { Board, OpenLink, Outcome } from "flylead";
import type { Screen } from "../boards/terminal/screen.ts";
import type { Session } from "../boards/session.ts";
import { texts } from "../texts/board.ts";
import { counted } from "../texts/index.ts";

/**
 * Runs a program on the session's board, with its output on the screen, and reports how it ended; nothing happens if there is no board
 * to run it. `reset` resets the board first.
 */
export async function runProgram(session: Session, source: string, { reset }: { reset: boolean }, report: (outcome: Outcome) => Promise<void>): Promise<void> {
  const board = await session.begin({ reset });
  if (!board) return;
  try {
    await session.screen.note(`── ${texts.noteRun} ──`);
    const program = new Program(board, session.screen);
    programs.set(session, program);
    await report(await program.run(source));
  } catch (error) {
    await session.showError(error);
  } finally {
    await session.settle();
  }
}

/** Returns the program that runs on the session's board, if any. */
export function programOn(session: Session): Program | undefined {
  const program = programs.get(session);
  return program?.isOver ? undefined : program;
}

const programs = new WeakMap<Session, Program>();

export class Program {
  readonly #board: Board;
  readonly #screen: Screen;
  /** Receiver of the output while it is lent. */
  #tap: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOver = false;

  constructor(board: Board, screen: Screen) {
    this.#board = board;
    this.#screen = screen;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isLent(): boolean {
    return this.#tap !== undefined;
  }

  async run(source: string): Promise<Outcome> {
    const run = this.#board.run(source);
    let silence: number | undefined;
    try {
      for await (const bytes of run.readable as unknown as AsyncIterable<Uint8Array>) {
        clearTimeout(silence);
        if (this.#tap) {
          this.#tap.enqueue(bytes);
          continue;
        }
        await this.#screen.write(bytes);
        if (bytes.at(-1) !== NEWLINE) silence = window.setTimeout(() => this.#screen.inputAwaited(), QUESTION_MS);
      }
    } finally {
      this.#isOver = true;
      this.#takeBack();
      clearTimeout(silence);
    }
    await this.#screen.write(CALM);
    if (run.dropped > 0) await this.#screen.note(counted(texts.tooFast, run.dropped));
    return run.done;
  }

  /** Lends the program's input and output to another conversation. The screen then shows output that it left unread. */
  async lend<T>(label: string, work: (link: OpenLink) => Promise<T>): Promise<T> {
    const readable = new ReadableStream<Uint8Array>({ start: (controller) => void (this.#tap = controller) });
    const writable = new WritableStream<Uint8Array>({ write: (bytes) => this.#board.send(bytes) });
    try {
      return await work({ label, readable, writable, close: async () => {} });
    } finally {
      this.#takeBack();
      for await (const bytes of readable as unknown as AsyncIterable<Uint8Array>) await this.#screen.write(bytes);
    }
  }

  #takeBack(): void {
    try {
      this.#tap?.close();
    } catch {
      // The other conversation has cancelled it.
    }
    this.#tap = undefined;
  }
}

const NEWLINE = 10;
/** Time after which an unfinished line of output counts as a question. */
const QUESTION_MS = 400;
/**
 * Resets terminal modes that a program may have left set: colors, a hidden cursor, application cursor keys, the mouse,
 * bracketed paste, the alternate screen (xterm, ctlseqs: SGR, DECTCEM, DECCKM, modes 9, 1000 to 1015, 2004, 47; 1049
 * would move the cursor).
 */
const CALM = "\x1b[0m\x1b[?25h\x1b[?1l\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?47l";
