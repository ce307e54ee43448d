/**
 * Owner of a board: takes programs, files, and other users of its link in turn. It has no protocol:
 * the package speaks it; this decides what the person sees of it, and in which order.
 */

import type { Board, OpenLink } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { Connection } from "./connection/connection.ts";
import type { Shown } from "./terminal/prompt.ts";
import { isConnected, type State } from "./connection/state.ts";
import { recordingAt } from "./recording.ts";
import { forget, recall } from "../storage/storage.ts";
import { texts } from "../texts/board.ts";
import { Turns } from "./turns.ts";

/** A conversation that has the link, or what a program prints and reads. */
export interface Borrower {
  /** Aborted when the person wants it to end. */
  readonly lease: AbortController;
  /** Gets what is typed meanwhile. */
  read?(bytes: Uint8Array): void;
}

export class Session extends Connection {
  /** Queue of requests to the board besides programs. */
  readonly #turns = new Turns();
  /** Resolves when the board has been asked for its names. */
  #learning: Promise<void> | undefined;
  /** Input typed while the page asks the board something, for the prompt afterwards. */
  #ahead: number[] | undefined;
  /** While the link, or the program, is lent. */
  borrower: Borrower | undefined;

  /** True if a program can run now, or as soon as pending file requests are done. */
  get canRun(): boolean {
    return this.state.kind === "ready" || (this.state.kind === "running" && this.state.doing !== undefined && !this.borrower);
  }

  /** True if something may run on the board that Stop would end: a program of this page, or one of the board's own. */
  get isBusy(): boolean {
    const { kind } = this.state;
    return kind === "running" || kind === "resetting" || (kind === "ready" && (this.prompt?.isBusy ?? true));
  }

  /**
   * Returns the board for a program of the person's, up to {@link settle}; `undefined` if there is none, it was lost, or it runs
   * another program. `reset` resets it softly before, so that nothing of an earlier run is left: no variable, and no module as it was
   * then.
   */
  async begin({ reset }: { reset: boolean }): Promise<Board | undefined> {
    await this.#turns.over();
    if (!(await this.#mayInterrupt().catch((error) => this.showError(error)))) return undefined;
    const { board } = this;
    if (!board || this.state.kind !== "ready") return undefined;
    this.enter({ ...this.state, kind: "running" });
    try {
      await this.#prepare(board, reset);
      return board;
    } catch (error) {
      await this.showError(error);
      await this.settle();
      return undefined;
    }
  }

  /** Back to the prompt after a run, once everything about the run is said. */
  async settle(): Promise<void> {
    const { board } = this;
    if (!board || !isConnected(this.state)) return;
    try {
      await this.prompt?.return();
      if (board === this.board) this.enter({ kind: "ready", board: this.boardName });
    } catch (error) {
      await this.showError(error);
    }
  }

  /** Asks the board which one it is, and resets it softly if wanted. */
  async #prepare(board: Board, reset: boolean): Promise<void> {
    await this.recognize(board);
    // WebREPL's server goes with the interpreter that is reset (MicroPython 1.27, extmod/webrepl/webrepl.py).
    const endsWithReset = this.link !== undefined && "textOnly" in this.link && this.link.textOnly === true;
    if (reset && !endsWithReset) await board.softReset();
  }

  /**
   * Does something with the board, once what was asked before is done, and goes back to the prompt. Rejects with what
   * the package says, or with why it cannot be now.
   */
  use<T>(doing: string, work: (board: Board) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      await this.#mayInterrupt();
      const board = this.#claim(doing);
      this.#ahead = [];
      try {
        await this.recognize(board);
        return await work(board);
      } finally {
        await this.#backInSilence(board);
        const ahead = this.#ahead;
        this.#ahead = undefined;
        if (ahead.length > 0 && board === this.board) this.type(new Uint8Array(ahead));
      }
    });
  }

  /** Returns the id of the connected board, which stays with it. */
  async identify(): Promise<string> {
    return this.identity ?? this.use(texts.askingWhich, async () => this.identity!);
  }

  /**
   * Asks for the names in these modules, which open programs import. The board is asked while it waits at an empty prompt: a question
   * would interrupt what it runs, also what was typed there. Resolves when the board has been asked, or at once where it cannot be now.
   */
  async learnNames(modules: ReadonlySet<string>): Promise<void> {
    // A question that is under way may be about other modules.
    for (let tries = 0; tries < 3 && (await this.wantNames(modules)); tries++) {
      const isIdle = this.state.kind === "ready" && this.prompt?.isFree && !this.#recording;
      if (isIdle) this.#learning = this.use(texts.askingNames, async () => {}).catch(() => {});
      await this.#learning;
    }
  }

  /** Restarts the interpreter and shows its greeting. */
  async reset(): Promise<void> {
    if (!(await this.#mayInterrupt().catch((error) => this.showError(error)))) return;
    const { board } = this;
    if (!board || this.state.kind !== "ready") return;
    this.enter({ ...this.state, kind: "resetting" });
    this.prompt?.occupy();
    try {
      await board.softReset();
      await this.screen.note(`── ${texts.softReset} ──`);
      await board.leave();
      this.enter({ kind: "ready", board: this.boardName });
    } catch (error) {
      await this.showError(error);
    }
  }

  /** Lets a conversation have the link as it is, and takes it back when that is over. */
  useLink<T>(doing: string, work: (link: OpenLink, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      const board = this.#claim(doing);
      const { lease } = (this.borrower = { lease: new AbortController() });
      const link = await this.#part(board);
      try {
        return await work(link, lease.signal);
      } finally {
        this.borrower = undefined;
        if (this.#takeBack(link)) this.enter({ kind: "ready", board: this.boardName });
      }
    });
  }

  /** Lends the link of a board that is at its prompt before, and on its way there afterwards. */
  useLinkAtPrompt<T>(doing: string, { reset }: { reset: boolean }, work: (link: OpenLink, borrower: Borrower) => Promise<T>): Promise<T> {
    return this.#turns.take(async () => {
      await this.#mayInterrupt();
      const board = this.#claim(doing);
      await this.#meet(board, reset);
      const borrower = (this.borrower = { lease: new AbortController() });
      const link = await this.#part(board);
      try {
        return await work(link, borrower);
      } finally {
        this.borrower = undefined;
        await this.#takeBackAtPrompt(link);
      }
    });
  }

  /** Talks to the board over another link from now on, made of the one to the board itself. */
  replaceLink(doing: string, make: (below: OpenLink) => Promise<OpenLink>): Promise<void> {
    return this.#turns.take(async () => {
      await this.#mayInterrupt();
      const board = this.#claim(doing);
      await this.#meet(board, false);
      const shown = this.prompt?.shown;
      await this.#part(board);
      const { mounted } = this;
      await mounted?.unmount();
      const link = (this.link = mounted?.below ?? this.link!);
      try {
        this.link = await make(link);
      } finally {
        await this.#takeBackAtPrompt(this.link, shown);
      }
    });
  }

  /** The run that the board records, in a program that whatever is asked of the board would interrupt. */
  get #recording(): string | undefined {
    return this.transport && recall(recordingAt(this.transport.id));
  }

  /** Resolves to true when the board may be interrupted; rejects when the person keeps a recording. */
  async #mayInterrupt(): Promise<true> {
    if (this.#recording && this.state.kind === "ready") await (await import("./port-state.ts")).askToEndRecording(this.transport!.id);
    return true;
  }

  /** The board, if it has nothing else to do; from now on it has. */
  #claim(doing: string): Board {
    const { board } = this;
    if (!board || !isConnected(this.state)) throw new Error(texts.connectFirst);
    if (this.state.kind !== "ready") throw new Error(texts.busy);
    this.enter({ ...this.state, kind: "running", doing });
    return board;
  }

  /** Brings the board to its prompt, for who is to have its link. */
  async #meet(board: Board, reset: boolean): Promise<void> {
    try {
      await this.#prepare(board, reset);
      if (board.mode !== "normal") await this.prompt?.reach();
    } catch (error) {
      await this.#backInSilence(board);
      throw error;
    }
  }

  /** Ends the conversation with the board; the link stays open. */
  async #part(board: Board): Promise<OpenLink> {
    const link = this.link!;
    this.board = undefined;
    await board.close();
    return link;
  }

  /** Takes the link back with the board on its way to the prompt. */
  async #takeBackAtPrompt(link: OpenLink | undefined, shown?: Shown): Promise<void> {
    this.#takeBack(link);
    const { board } = this;
    if (board) await this.prompt?.arrive(shown);
    // Not before: who presses Debug or Run at once is to be heard.
    if (board && board === this.board) this.enter({ kind: "ready", board: this.boardName });
  }

  /** Says whether there is a board again: one that was let go meanwhile is not. */
  #takeBack(link: OpenLink | undefined): boolean {
    if (!link || link !== this.link) return false;
    try {
      this.attach(link);
      return true;
    } catch {
      // A link whose streams are gone is a board that is gone.
      this.link = undefined;
      void link.close();
      this.enter({ kind: "lost", board: this.boardName, why: texts.connectionEnded });
      return false;
    }
  }

  /** Back to the prompt that the screen still shows. */
  async #backInSilence(board: Board): Promise<void> {
    try {
      if (board === this.board) await this.prompt?.returnInSilence();
    } catch {
      // Only a board that is gone does not leave, and `lost` says so.
    }
    if (board === this.board && isConnected(this.state)) this.enter({ kind: "ready", board: this.boardName });
  }

  /** Sets the description of the board's activity; the default is a program. */
  say(doing?: string): void {
    if (this.state.kind === "running") this.enter({ kind: "running", board: this.state.board, ...(doing === undefined ? {} : { doing }) });
  }

  /** Ctrl-C to whatever runs, the page's program or the board's own. */
  stop(): void {
    if (!isConnected(this.state)) return;
    // Who has the link, or what the program prints, ends with the program as it was.
    if (this.borrower) this.borrower.lease.abort();
    else this.#interrupt();
    const asked = this.state;
    if (asked.kind === "running") setTimeout(() => void this.#admit(asked), PATIENCE_MS);
  }

  /** Ctrl-C, which ends a recording as well. */
  #interrupt(): void {
    if (this.transport) forget(recordingAt(this.transport.id));
    this.board?.interrupt();
  }

  /** Says so when a program does not stop, with what helps then. */
  async #admit(asked: State): Promise<void> {
    if (this.state === asked) await this.screen.note(`── ${texts.doesNotStop} ──`);
  }

  /** Sends input to the prompt or to the program; between the two it is dropped. While the page asks the board something, it waits. */
  type(bytes: Uint8Array): void {
    try {
      if (this.borrower?.read) return this.borrower.read(bytes);
      if (this.#ahead && !bytes.includes(INTERRUPT)) return void this.#ahead.push(...bytes.subarray(0, MOST_AHEAD - this.#ahead.length));
      this.prompt?.occupy(bytes);
      if (bytes.includes(INTERRUPT) && this.transport) forget(recordingAt(this.transport.id));
      this.board?.send(bytes);
    } catch (error) {
      if (!isFlyleadError(error)) throw error;
    }
  }

  /** Asks the borrower of the link to end, and waits for it. */
  protected override async whatHasTheLink(): Promise<void> {
    this.borrower?.lease.abort();
    if (this.borrower) await this.#turns.present();
  }
}

/** Ctrl-C, which ends what the board does. */
const INTERRUPT = 0x03;
/** Limit of the input that waits, in bytes. */
const MOST_AHEAD = 4096;
/** Time that a program has to stop before a message is shown. */
const PATIENCE_MS = 3000;
