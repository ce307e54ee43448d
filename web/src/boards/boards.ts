/** Boards of the page, each with its conversation and its terminal. One of them is in front. */

import { make } from "../ui/dom.ts";
import { type BoardPlace, boardPlace } from "./place.ts";
import type { Drawn } from "./terminal/screen.ts";
import { Session } from "./session.ts";
import { isConnected, type State } from "./connection/state.ts";
import type { Link, Terminal } from "./terminal/terminal.ts";

export interface Board {
  /** Place among the boards, from 1. */
  readonly number: number;
  readonly session: Session;
  /** Files. */
  readonly place: BoardPlace;
  /** Element for its terminal. */
  readonly screen: HTMLElement;
  /** Returns the terminal, opening it when it is first needed. */
  terminal(): Promise<Terminal>;
}

export interface BoardsOptions {
  /** Called when a board's state has changed, or another board is in front. */
  changed: (board: Board, state: State) => void;
  /** Called when a line of a traceback in the terminal was selected. */
  link: (link: Link) => void;
  /** Receives the board's output. */
  printed: (board: Board, data: Uint8Array | string) => void;
  /** Called when a program awaits input, or seems to. */
  inputAwaited: (board: Board) => void;
  /** Receives changes of a drawn board. */
  drawn: (board: Board, changes: Drawn) => Promise<void>;
  /** The board may have become busy, or free. */
  turned: (board: Board) => void;
}

export class Boards {
  readonly #parent: HTMLElement;
  readonly #options: BoardsOptions;
  readonly #listeners = new Set<(board: Board, data: Uint8Array | string) => void>();
  #all: Board[] = [];
  #current: Board;

  constructor(parent: HTMLElement, options: BoardsOptions) {
    this.#parent = parent;
    this.#options = options;
    this.#all.push((this.#current = this.#make()));
    this.#current.screen.hidden = false;
  }

  get all(): readonly Board[] {
    return this.#all;
  }

  get current(): Board {
    return this.#current;
  }

  /** Calls `listener` with the output of all boards, until `signal` is aborted. */
  listen(listener: (board: Board, data: Uint8Array | string) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener));
  }

  #printed(board: Board, data: Uint8Array | string): void {
    this.#options.printed(board, data);
    for (const listener of this.#listeners) listener(board, data);
  }

  /**
   * Returns the connected board with this id. The one in front is queried for it if necessary; others are not
   * interrupted for that.
   */
  async withId(id: string): Promise<Board | undefined> {
    const connected = this.#all.filter(({ session }) => isConnected(session.state));
    const known = connected.find(({ session }) => session.identity === id);
    if (known || !connected.includes(this.#current)) return known;
    return (await this.#current.session.identify()) === id ? this.#current : undefined;
  }

  /** Adds a place for another board, and puts it in front. */
  add(): Board {
    const board = this.#make();
    this.#all.push(board);
    this.show(board);
    return board;
  }

  /** Puts a board in front. */
  show(board: Board): void {
    this.#current = board;
    for (const { screen } of this.#all) screen.hidden = screen !== board.screen;
    this.#options.changed(board, board.session.state);
  }

  /** Removes a board; the last one's place stays. */
  async remove(board: Board): Promise<void> {
    await board.session.disconnect();
    if (this.#all.length === 1) return;
    this.#all = this.#all.filter((one) => one !== board);
    board.screen.remove();
    this.show(this.#all[0]!);
  }

  /** Returns the first free place. */
  #freeNumber(): number {
    const taken = new Set(this.#all.map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number += 1;
    return number;
  }

  #make(): Board {
    const screen = make("div", "", "screen");
    screen.hidden = true;
    this.#parent.append(screen);
    let opened: Promise<Terminal> | undefined;
    const terminal = () => (opened ??= this.#open(screen, board).catch((error) => ((opened = undefined), Promise.reject(error))));
    const write = async (data: Uint8Array | string) => {
      this.#printed(board, data);
      await (await terminal()).write(data);
    };
    const note = async (text: string) => {
      this.#printed(board, "\n"); // What the page says stands on a line of its own.
      await (await terminal()).note(text);
    };
    const number = this.#freeNumber();
    const session = new Session(number, { write, note, inputAwaited: () => this.#options.inputAwaited(board), drawn: (changes) => this.#options.drawn(board, changes), turned: () => this.#options.turned(board) }, (state) => this.#options.changed(board, state));
    const board: Board = { number, session, place: boardPlace(session), screen, terminal };
    return board;
  }

  async #open(screen: HTMLElement, board: Board): Promise<Terminal> {
    const { openTerminal } = await import("./terminal/terminal.ts");
    return openTerminal(screen, { onInput: (bytes) => board.session.type(bytes), onLink: this.#options.link });
  }
}
