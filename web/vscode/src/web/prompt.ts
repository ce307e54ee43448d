/** The board's prompt as a terminal in the browser, which goes on when the board is back. */

import type { Board } from "flylead";
import * as vscode from "vscode";
import type { Device } from "./device";

/** Time between two attempts to reach a board that is away, in milliseconds. */
const PERIOD = 1_000;

export class Prompt implements vscode.Pseudoterminal {
  readonly #write = new vscode.EventEmitter<string>();
  readonly onDidWrite = this.#write.event;
  #board: Board | undefined;
  #isClosed = false;

  constructor(private readonly device: Device) {}

  open(): void {
    this.device.hasPrompt = true;
    void this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    this.device.hasPrompt = false;
  }

  handleInput(typed: string): void {
    try {
      this.#board?.send(typed);
    } catch {
      // Nothing reads there just now.
    }
  }

  /** Shows what the board says, board after board. */
  async #follow(): Promise<void> {
    let isAway = false;
    while (!this.#isClosed) {
      try {
        // Between two programs: a debugger has the link for itself.
        this.#board = await this.device.ask(async (board) => board);
        if (isAway) this.#say("The board is back.");
        isAway = false;
        await this.#show(this.#board);
      } catch {
        if (!isAway) this.#say("The board is away or busy; the prompt goes on when it is back.");
        isAway = true;
      }
      this.#board = undefined;
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  /** Shows output until the board is closed or lost. */
  async #show(board: Board): Promise<void> {
    const decoder = new TextDecoder();
    const reader = board.terminal.readable.getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done || this.#isClosed) return;
        this.#write.fire(decoder.decode(value, { stream: true }));
      }
    } finally {
      reader.releaseLock();
    }
  }

  #say(text: string): void {
    this.#write.fire(`\r\n\x1b[2m${text}\x1b[0m\r\n`);
  }
}
