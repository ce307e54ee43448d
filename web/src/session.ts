/**
 * One board from connecting to losing it. No protocol here: the package speaks it; this decides what the person
 * sees of it, and in which order.
 */

import type { Board, Files, OpenLink, Outcome } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { isConnected, type State } from "./state.ts";
import { identityOf, nameWith } from "./identity.ts";
import { type MountedLink, mountOn } from "./mounted.ts";
import type { PageLink } from "./page-board/transport.ts";
import { Program } from "./program.ts";
import { Prompt, type Shown } from "./prompt.ts";
import { texts } from "./texts/board.ts";
import type { Transport } from "./transports.ts";

/** Where the board's words go. */
export interface Screen {
  write(data: Uint8Array | string): Promise<void>;
  note(text: string): Promise<void>;
  /** A program waits for what the person types, or seems to. */
  inputAwaited(): void;
}

/** A link that is lent to a conversation which leaves the board on its way to the prompt. */
export interface Loan {
  readonly link: OpenLink;
  /** Aborted when the person wants it to end. */
  readonly signal: AbortSignal;
  /** Who gets what is typed meanwhile. */
  type(listener: (bytes: Uint8Array) => void): void;
  /** What the board does now. */
  say(doing: string): void;
}

export class Session {
  #state: State = { kind: "loose" };
  #transport: Transport | undefined;
  #link: OpenLink | undefined;
  #board: Board | undefined;
  /** What speaks to boards: it comes with the first one. */
  #Board: typeof Board | undefined;
  /** The folder of this computer that is to be on the board, whenever it is connected. */
  #folder: FileSystemDirectoryHandle | undefined;
  /** Which board is connected, once it was asked. */
  #identity: string | undefined;
  /** What it is, by its `sys.platform`; the one that was here last, while none is. */
  #platform = "";
  /** Which board was here first by this transport: another one does not take its place. */
  #expected: string | undefined;
  /** What the board says outside of programs. */
  #prompt: Prompt | undefined;
  /** Done when everything that was asked of the files is. */
  #turn: Promise<unknown> = Promise.resolve();
  /** While the link is lent. */
  #lease: AbortController | undefined;
  /** Who gets what is typed, while the link is lent. */
  #reader: ((bytes: Uint8Array) => void) | undefined;
  /** A program of the person's. */
  #program: Program | undefined;
  /** Which try to connect is the present one; what an older one brings is let go. */
  #attempt = 0;
  /** The board's place among those of the page. */
  readonly #number: number;
  readonly #screen: Screen;
  readonly #onState: (state: State) => void;

  constructor(number: number, screen: Screen, onState: (state: State) => void) {
    this.#number = number;
    this.#screen = screen;
    this.#onState = onState;
  }

  get state(): State {
    return this.#state;
  }

  /** The transport that was opened last: the one to open again after a loss. */
  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** Which board is connected, if it has said so. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** The folder of this computer that is on the board. */
  get folder(): FileSystemDirectoryHandle | undefined {
    return this.#mounted ? this.#folder : undefined;
  }

  get #mounted(): MountedLink | undefined {
    return this.#link && "unmount" in this.#link ? (this.#link as MountedLink) : undefined;
  }

  /** The board's `sys.platform`, or that of the one before, as far as one has said it. */
  get platform(): string {
    return this.#transport?.isInPage ? "webassembly" : this.#platform;
  }

  /** The files of a board in this page, which can be read at any time; `undefined` for any other board. */
  get filesInPage(): PageLink["files"] | undefined {
    const link = this.#mounted?.below ?? this.#link;
    return link && "files" in link ? (link as PageLink).files : undefined;
  }

  /** What the board is called. */
  get boardName(): string {
    return this.#name();
  }

  /** Connects; a board that was there before is let go. Failure is a state, not an exception: a lost board stays lost. */
  async connect(transport: Transport): Promise<void> {
    const wasLost = this.#state.kind === "lost";
    const folder = wasLost && transport === this.#transport ? this.#folder : undefined;
    await this.disconnect();
    const attempt = ++this.#attempt;
    if (transport !== this.#transport) this.#expected = undefined;
    this.#transport = transport;
    this.#enter({ kind: "connecting", board: transport.name });
    try {
      const flylead = await import("flylead");
      await flylead.init();
      this.#Board = flylead.Board;
      const link = await transport.open({ number: this.#number, note: (text) => void this.#screen.note(text), inputAwaited: () => this.#screen.inputAwaited() });
      if (attempt !== this.#attempt) return link.close();
      this.#attach(link);
      // Its board had it before.
      if (folder) void this.mount(folder).catch((error) => this.#screen.note(messageOf(error)));
    } catch (error) {
      if (attempt !== this.#attempt) return;
      if (wasCancelled(error)) this.#enter({ kind: "loose" });
      else if (wasLost) this.#enter({ kind: "lost", board: transport.name, why: messageOf(error) });
      else this.#enter({ kind: "loose", why: messageOf(error) });
    }
  }

  /** Lets the board go as it is, or gives up connecting. */
  async disconnect(): Promise<void> {
    if (this.#state.kind === "loose") return;
    this.#attempt += 1;
    this.#lease?.abort();
    if (this.#lease) await this.#turn;
    this.#folder = undefined;
    await this.#release();
    this.#enter({ kind: "loose" });
  }

  /** Whether a program can run now, or as soon as what was asked of the files is done. */
  get canRun(): boolean {
    return this.#state.kind === "ready" || (this.#state.kind === "running" && this.#state.doing !== undefined && !this.#lease);
  }

  /**
   * Runs a program, its output on the screen; `undefined` when there is no board to run it, or it was lost. `anew` resets the
   * board softly before, so that nothing of an earlier run is left: no variable, and no module as it was then.
   */
  async run(program: string, { anew }: { anew: boolean }): Promise<Outcome | undefined> {
    await this.#whatWasAsked();
    const board = this.#board;
    if (!board || this.#state.kind !== "ready") return undefined;
    this.#enter({ ...this.#state, kind: "running" });
    try {
      await this.#recognise(board);
      if (anew && !this.#endsWithReset()) await board.softReset();
      await this.#screen.note(`── ${texts.noteRun} ──`);
      return await (this.#program = new Program(board, this.#screen)).run(program);
    } catch (error) {
      await this.#showError(error);
      return undefined;
    }
  }

  /** WebREPL's server goes with the interpreter that is reset (MicroPython 1.27, extmod/webrepl/webrepl.py). */
  #endsWithReset(): boolean {
    return this.#link !== undefined && "textOnly" in this.#link && this.#link.textOnly === true;
  }

  /** Back to the prompt after a run, once everything about the run is said. */
  async settle(): Promise<void> {
    const board = this.#board;
    if (!board || !isConnected(this.#state)) return;
    try {
      await this.#prompt?.return();
      if (board === this.#board) this.#enter({ kind: "ready", board: this.#name() });
    } catch (error) {
      await this.#showError(error);
    }
  }

  /**
   * Does something with the board, once what was asked before is done, and goes back to the prompt. Rejects with what
   * the package says, or with why it cannot be now.
   */
  use<T>(doing: string, work: (board: Board) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const board = this.#claim(doing);
      try {
        await this.#recognise(board);
        return await work(board);
      } finally {
        await this.#backInSilence(board);
      }
    });
  }

  /** Which board is connected: an id that stays with it. */
  async identify(): Promise<string> {
    return this.#identity ?? this.use(texts.askingWhich, async () => this.#identity!);
  }

  /** Does something with the board's files, like {@link use}. */
  useFiles<T>(doing: string, work: (files: Files) => Promise<T>): Promise<T> {
    return this.use(doing, (board) => work(board.files));
  }

  /**
   * Lends the board's link to another conversation, and takes it back when that is over; while a program runs, what that
   * prints and reads. `signal` is aborted when the person wants it to end.
   */
  lend<T>(doing: string, work: (link: OpenLink, signal: AbortSignal) => Promise<T>): Promise<T> {
    const program = this.#program;
    if (program && !program.isOver && !program.isLent) return this.#lendProgram(program, doing, work);
    return this.#inTurn(async () => {
      const board = this.#claim(doing);
      const link = this.#link!;
      const lease = (this.#lease = new AbortController());
      this.#board = undefined;
      await board.close();
      try {
        return await work(link, lease.signal);
      } finally {
        this.#lease = undefined;
        this.#takeBack(link);
      }
    });
  }

  /** The program goes on, and is asked by the other conversation alone. */
  async #lendProgram<T>(program: Program, doing: string, work: (link: OpenLink, signal: AbortSignal) => Promise<T>): Promise<T> {
    const lease = (this.#lease = new AbortController());
    this.#say(doing);
    try {
      return await program.lend(doing, (link) => work(link, lease.signal));
    } catch (error) {
      if (!program.isOver || !isFlyleadError(error) || error.name !== "LostError") throw error;
      throw new Error(texts.programEnded);
    } finally {
      this.#lease = undefined;
      if (!program.isOver && this.#state.kind === "running") this.#enter({ kind: "running", board: this.#name() });
    }
  }

  /** Lends the link like {@link lend}, to a conversation that is shown as a run is, up to the board's prompt. */
  lendRun<T>(doing: string, title: string, { anew }: { anew: boolean }, work: (loan: Loan) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const board = this.#claim(doing);
      await this.#meet(board, anew);
      const link = this.#link!;
      const lease = (this.#lease = new AbortController());
      this.#board = undefined;
      await board.close();
      await this.#screen.note(`── ${title} ──`);
      try {
        return await work({ link, signal: lease.signal, type: (reader) => (this.#reader = reader), say: (said) => this.#say(said) });
      } finally {
        this.#lease = this.#reader = undefined;
        await this.#takeBackAtPrompt(link);
      }
    });
  }

  /**
   * Puts a folder of this computer on the board, instead of an earlier one. After a reset, and when a board that was lost is
   * back, it is there again.
   */
  mount(folder: FileSystemDirectoryHandle): Promise<void> {
    return this.#replaceLink(texts.mounting, async (link) => {
      const mounted = await mountOn(link, folder, (news) => void this.#screen.note(`── ${news} ──`));
      this.#folder = folder;
      return mounted;
    });
  }

  /** Takes the folder from the board. */
  unmount(): Promise<void> {
    this.#folder = undefined;
    return this.#replaceLink(texts.unmounting, async (link) => link);
  }

  /** Talks to the board over another link, made of the one to the board itself. */
  #replaceLink(doing: string, make: (link: OpenLink) => Promise<OpenLink>): Promise<void> {
    return this.#inTurn(async () => {
      const board = this.#claim(doing);
      await this.#meet(board, false);
      const shown = this.#prompt?.shown;
      this.#board = undefined;
      await board.close();
      const mounted = this.#mounted;
      await mounted?.unmount();
      const link = (this.#link = mounted?.below ?? this.#link!);
      try {
        this.#link = await make(link);
      } finally {
        await this.#takeBackAtPrompt(this.#link!, shown);
      }
    });
  }

  /** Asks the board which one it is, resets it softly if wanted, and brings it to its prompt. */
  async #meet(board: Board, anew: boolean): Promise<void> {
    try {
      await this.#recognise(board);
      if (anew && !this.#endsWithReset()) await board.softReset();
      if (board.mode !== "normal") await this.#prompt?.reach();
    } catch (error) {
      await this.#backInSilence(board);
      throw error;
    }
  }

  #say(doing: string): void {
    if (this.#state.kind === "running") this.#enter({ ...this.#state, doing });
  }

  /** Takes the link back with the board on its way to the prompt. */
  async #takeBackAtPrompt(link: OpenLink, shown?: Shown): Promise<void> {
    this.#takeBack(link, { ready: false });
    const board = this.#board;
    if (board) await this.#prompt?.arrive(shown);
    // Not before: who presses Debug or Run at once is to be heard.
    if (board && board === this.#board) this.#enter({ kind: "ready", board: this.#name() });
  }

  #takeBack(link: OpenLink, { ready } = { ready: true }): void {
    if (link !== this.#link) return;
    try {
      this.#attach(link, { knock: false, ready });
    } catch {
      // A link whose streams are gone is a board that is gone.
      this.#link = undefined;
      void link.close();
      this.#enter({ kind: "lost", board: this.#name(), why: texts.connectionEnded });
    }
  }

  /** Waits until everything that was asked of the files is done. */
  async #whatWasAsked(): Promise<void> {
    let turn;
    do await (turn = this.#turn);
    while (turn !== this.#turn);
  }

  /** One after the other, whatever became of the one before. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** The board, if it has nothing else to do; from now on it has. */
  #claim(doing: string): Board {
    const board = this.#board;
    if (!board || !isConnected(this.#state)) throw new Error(texts.connectFirst);
    if (this.#state.kind !== "ready") throw new Error(texts.busy);
    this.#enter({ ...this.#state, kind: "running", doing });
    return board;
  }

  /** Asks the board which one it is, once. One that came in another's place is let go, before anything is done to it. */
  async #recognise(board: Board): Promise<void> {
    const transport = this.#transport!;
    if (this.#identity === undefined) ({ id: this.#identity, platform: this.#platform } = await identityOf(board, transport));
    const id = this.#identity;
    const expected = (this.#expected ??= id);
    if (id === expected) return;
    const name = this.#name();
    const why = texts.anotherBoard(nameWith(name, id), nameWith(name, expected));
    transport.refuse?.();
    await this.#release();
    this.#enter({ kind: "lost", board: name, why });
    throw new Error(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  }

  /** Back to the prompt that the screen still shows. */
  async #backInSilence(board: Board): Promise<void> {
    try {
      if (board === this.#board) await this.#prompt?.returnInSilence();
    } catch {
      // Only a board that is gone does not leave, and `lost` says so.
    }
    if (board === this.#board && isConnected(this.#state)) this.#enter({ kind: "ready", board: this.#name() });
  }

  /** Ctrl-C to whatever runs, the page's program or the board's own. */
  stop(): void {
    if (!isConnected(this.#state)) return;
    // Who has the link, or what the program prints, ends with the program as it was.
    if (this.#lease) this.#lease.abort();
    else this.#board?.interrupt();
    const asked = this.#state;
    if (asked.kind === "running") setTimeout(() => void this.#admit(asked), PATIENCE_MS);
  }

  /** Says so when a program does not stop, with what helps then. */
  async #admit(asked: State): Promise<void> {
    if (this.#state === asked) await this.#screen.note(`── ${texts.doesNotStop} ──`);
  }

  /** Starts the interpreter anew and shows its greeting. */
  async reset(): Promise<void> {
    const board = this.#board;
    if (!board || this.#state.kind !== "ready") return;
    this.#enter({ ...this.#state, kind: "resetting" });
    try {
      await board.softReset();
      await this.#screen.note(`── ${texts.softReset} ──`);
      await board.leave();
      this.#enter({ kind: "ready", board: this.#name() });
    } catch (error) {
      await this.#showError(error);
    }
  }

  /** Restarts the whole board with `source`; resolves when it was seen to: its link has gone, or it has started anew. */
  restart(doing: string, source: string): Promise<void> {
    return this.#inTurn(async () => {
      const board = this.#claim(doing);
      try {
        await this.#recognise(board);
        await board.exec(source, { timeout: RESTART_MS });
        throw new Error(texts.didNotRestart);
      } catch (error) {
        if (!isFlyleadError(error) || !RESTARTED.has(error.name)) throw error;
        if (error.name === "RestartedError") await this.#screen.note(`── ${texts.restarted} ──`);
      } finally {
        await this.#backInSilence(board);
      }
    });
  }

  /** Shows what somebody else has heard from the board. */
  async hear(data: Uint8Array): Promise<void> {
    await this.#screen.write(data);
  }

  /** What the person types goes to the prompt or to the program; between the two it has nowhere to go. */
  type(bytes: Uint8Array): void {
    try {
      if (this.#reader) this.#reader(bytes);
      else this.#board?.send(bytes);
    } catch (error) {
      if (!isFlyleadError(error)) throw error;
    }
  }

  #attach(link: OpenLink, { knock, ready } = { knock: true, ready: true }): void {
    this.#link = link;
    const board = this.#Board!.attach(link);
    this.#board = board;
    const prompt = (this.#prompt = new Prompt(board, (text) => this.#screen.write(text)));
    void board.lost.then((loss) => this.#lose(board, loss?.message));
    if (ready) this.#enter({ kind: "ready", board: this.#name() });
    if (knock) setTimeout(() => board === this.#board && this.#state.kind === "ready" && prompt.knock(), KNOCK_MS);
  }

  async #showError(error: unknown): Promise<void> {
    await this.#screen.note(messageOf(error));
    if (isFlyleadError(error) && error.name === "LostError") return; // `lost` moves the state.
    if (isConnected(this.#state)) this.#enter({ kind: "ready", board: this.#name() });
  }

  async #lose(board: Board, why: string | undefined): Promise<void> {
    if (board !== this.#board || why === undefined) return;
    const name = this.#name();
    await this.#release();
    const comesBack = this.#transport?.port ? `. ${texts.plugInAgain}` : "";
    this.#enter({ kind: "lost", board: name, why: why.replace(/\.$/, "") + comesBack });
  }

  async #release(): Promise<void> {
    const [board, link] = [this.#board, this.#link];
    this.#board = this.#link = this.#identity = undefined;
    await board?.close();
    await link?.close();
  }

  #name(): string {
    return this.#transport?.name ?? texts.board;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#onState(state);
  }
}

/** How a program ends whose board restarts: it is seen to, its link goes, or a board that says nothing at all starts again. */
const RESTARTED: ReadonlySet<string> = new Set(["RestartedError", "LostError", "TimeoutError"]);
/** How long a board may take to go, or to start anew; one on USB needs two or three seconds. */
const RESTART_MS = 10_000;
/** How long a program may take to stop before something is said. */
const PATIENCE_MS = 3000;
/** How long a board may take to say something by itself after it was attached. */
const KNOCK_MS = 300;

function wasCancelled(error: unknown): boolean {
  return isFlyleadError(error) && error.name === "CancelledError";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
