/** One board from connecting to losing it, by whatever transport, and which board it is. */

import type { Board, BoardInput, OpenLink, Peer } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { identityOf, nameWith } from "./identity.ts";
import { type MountedLink, mountedAt } from "./mounted.ts";
import type { BoardNames } from "./names.ts";
import type { PageLink } from "./page-board/transport.ts";
import { Prompt } from "../terminal/prompt.ts";
import type { Screen } from "../terminal/screen.ts";
import { type Machine, settings } from "../../storage/settings.ts";
import { isConnected, type State } from "./state.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/board.ts";
import { within } from "../../time.ts";
import type { Transport } from "./transports.ts";

/** A folder of this computer that is to be on the board, whenever it is connected. */
export interface Mounting {
  readonly folder: FileSystemDirectoryHandle;
  /** Puts it there again. */
  again(): Promise<void>;
}

export class Connection {
  /** Screen that shows the board's output. */
  readonly screen: Screen;
  /** Kept over a loss, for when the board is back. */
  mounting: Mounting | undefined;
  /** Link to the board. */
  protected link: OpenLink | undefined;
  /** None while somebody else has the link. */
  protected board: Board | undefined;
  /** Prompt of the board, outside of programs. */
  protected prompt: Prompt | undefined;
  #state: State = { kind: "loose" };
  #transport: Transport | undefined;
  /** Class that talks to boards: loaded with the first one. */
  #Board: typeof Board | undefined;
  /** Identity of the connected board, once queried. */
  #identity: string | undefined;
  /** Kind of board, by its `sys.platform`; that of the last one while none is connected. */
  #platform = "";
  /** Names that the connected board has, if it was asked, or the last one while none is connected. */
  #names: BoardNames | undefined;
  /** Modules that open programs import, once there is help for writing them. */
  #wanted: ReadonlySet<string> | undefined;
  /** Firmware of the connected board, as far as it has said it. */
  #firmware: string | undefined;
  /** Identity of the first board on this transport: another one does not take its place. */
  #expected: string | undefined;
  /** Number of the current attempt to connect; results of older ones are dropped. */
  #attempt = 0;
  /** The board's place among those of the page. */
  readonly #number: number;
  readonly #onState: (state: State) => void;

  constructor(number: number, screen: Screen, onState: (state: State) => void) {
    this.#number = number;
    this.screen = screen;
    this.#onState = onState;
  }

  get state(): State {
    return this.#state;
  }

  /** The transport that was opened last: the one to open again after a loss. */
  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** Identity of the connected board, if it is known. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** The board's `sys.platform`, or that of the one before, as far as one has said it. */
  get platform(): string {
    return this.#transport?.isInPage ? "webassembly" : this.#platform;
  }

  /** Names that the board has, or the one before, as far as one has listed them. */
  get names(): BoardNames | undefined {
    return this.#names;
  }

  /** Notes the modules that open programs import; says whether the board is to be asked for the names of some. */
  protected async wantNames(modules: ReadonlySet<string>): Promise<boolean> {
    this.#wanted = modules;
    const { missing } = await import("./names.ts");
    return missing(modules, this.#names).length > 0;
  }

  /** Name of the board. */
  get boardName(): string {
    return this.#transport?.name ?? texts.board;
  }

  /** The folder of this computer that is on the board. */
  get folder(): FileSystemDirectoryHandle | undefined {
    return this.mounted && this.mounting?.folder;
  }

  /** The files of a board in this page, which can be read at any time; `undefined` for any other board. */
  get filesInPage(): ReadonlyMap<string, Uint8Array> | undefined {
    return this.#pageLink?.files();
  }

  /** The folders of a board in this page that are none of its own. */
  get machineFolders(): ReadonlySet<string> | undefined {
    return this.#pageLink?.machineFolders;
  }

  /** The machine that a board in this page is like. */
  get machine(): Machine | undefined {
    return this.#pageLink?.machine;
  }

  /** Does to a board in this page what a person does to its buttons and sliders. */
  setInput(input: BoardInput): void {
    this.#pageLink?.setInput(input);
  }

  get #pageLink(): PageLink | undefined {
    const link = this.mounted?.below ?? this.link;
    return link && "machineFolders" in link ? (link as PageLink) : undefined;
  }

  protected get mounted(): MountedLink | undefined {
    return mountedAt(this.link);
  }

  /** Connects; a board that was there before is let go. Failure is a state, not an exception: a lost board stays lost. */
  async connect(transport: Transport): Promise<void> {
    const wasLost = this.#state.kind === "lost";
    const mounting = wasLost && transport === this.#transport ? this.mounting : undefined;
    await this.disconnect();
    const attempt = ++this.#attempt;
    if (transport !== this.#transport) this.#expected = this.#names = undefined;
    this.#transport = transport;
    this.enter({ kind: "connecting", board: transport.name });
    try {
      const flylead = await import("flylead");
      await flylead.init();
      this.#Board = flylead.Board;
      const link = await transport.open({ number: this.#number, note: (text) => void this.screen.note(text), inputAwaited: () => this.screen.inputAwaited(), drawn: (changes) => this.screen.drawn(changes) });
      if (attempt !== this.#attempt) return link.close();
      this.#greet(this.attach(link));
      // Its board had it before.
      if (mounting) void mounting.again().catch((error) => this.screen.note(messageOf(error)));
    } catch (error) {
      if (attempt !== this.#attempt) return;
      if (wasCancelled(error)) this.enter({ kind: "loose" });
      else if (wasLost) this.enter({ kind: "lost", board: transport.name, why: messageOf(error) });
      else this.enter({ kind: "loose", why: messageOf(error) });
    }
  }

  /** Lets the board go as it is, or gives up connecting. */
  async disconnect(): Promise<void> {
    if (this.#state.kind === "loose") return;
    const attempt = ++this.#attempt;
    await this.whatHasTheLink();
    this.mounting = undefined;
    await this.#release();
    // A port may take its time to close, and the person may have connected another board meanwhile.
    if (attempt === this.#attempt) this.enter({ kind: "loose" });
  }

  /** Ends what somebody else does with the link, before that is closed. */
  protected async whatHasTheLink(): Promise<void> {}

  /** Speaks to the board over this link. */
  protected attach(link: OpenLink): Board {
    this.link = link;
    const board = (this.board = this.#Board!.attach(link));
    this.prompt = new Prompt(board, (text) => this.screen.write(text), () => board === this.board && this.screen.turned());
    void board.lost.then((loss) => loss && this.#lose(board, loss.message, loss.name === "LostError" ? loss.peer : undefined));
    return board;
  }

  /** A board that was just connected: one that says nothing by itself is asked to. */
  #greet(board: Board): void {
    const { prompt } = this;
    this.enter({ kind: "ready", board: this.boardName });
    setTimeout(() => board === this.board && this.#state.kind === "ready" && prompt?.knock(), KNOCK_MS);
  }

  /** Asks the board which one it is, once. One that came in another's place is let go, before anything is done to it. */
  protected async recognize(board: Board): Promise<void> {
    const transport = this.#transport!;
    if (this.#identity === undefined) {
      ({ id: this.#identity, platform: this.#platform, firmware: this.#firmware } = await identityOf(board, transport));
      this.#names = undefined;
    }
    const id = this.#identity;
    const expected = (this.#expected ??= id);
    if (id === expected) return this.#learn(board);
    const name = this.boardName;
    const why = texts.anotherBoard({ now: nameWith(name, id), before: nameWith(name, expected) });
    transport.refuse?.();
    await this.#release();
    this.enter({ kind: "lost", board: name, why });
    throw new Error(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  }

  /** Asks the board for the names that the help for writing needs and that this browser does not know of its firmware. */
  async #learn(board: Board): Promise<void> {
    if (!this.#wanted || !settings().help) return;
    const { askNames, missing, recallNamesOf } = await import("./names.ts");
    if (this.#firmware !== undefined) this.#names ??= recallNamesOf(this.#firmware);
    const wanted = missing(this.#wanted, this.#names);
    if (wanted.length === 0) return;
    this.#names = await askNames(board, wanted, this.#names, this.#firmware);
  }

  /** Says what went wrong; a board that is still there is ready again. */
  async showError(error: unknown): Promise<void> {
    // A terminal that could not be loaded must not keep the board from being ready.
    await this.screen.note(messageOf(error)).catch(() => {});
    if (isFlyleadError(error) && error.name === "LostError") return; // `lost` moves the state.
    if (isConnected(this.#state)) this.enter({ kind: "ready", board: this.boardName });
  }

  async #lose(board: Board, why: string, peer: Peer | undefined): Promise<void> {
    if (board !== this.board) return;
    const name = this.boardName;
    await this.#release();
    const comesBack = this.#transport?.port ? `. ${texts.plugInAgain}` : "";
    this.enter({ kind: "lost", board: name, why: why.replace(/\.$/, "") + comesBack, peer });
  }

  async #release(): Promise<void> {
    const [board, link] = [this.board, this.link];
    this.board = this.link = this.#identity = undefined;
    const closed = async () => (await board?.close(), await link?.close());
    // A port with output that its board never takes may close when it is pulled out, and not before.
    await within(CLOSE_MS, closed(), "").catch(() => {});
  }

  protected enter(state: State): void {
    this.#state = state;
    this.#onState(state);
  }
}

/** Time limit of closing a board's link. */
const CLOSE_MS = 5000;
/** Time to wait for a board's own output after it was attached. */
const KNOCK_MS = 300;

function wasCancelled(error: unknown): boolean {
  return isFlyleadError(error) && error.name === "CancelledError";
}
