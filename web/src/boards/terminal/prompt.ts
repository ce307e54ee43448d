/** Reads a board's output outside of programs, and decides how much of it the screen shows. */

import type { Board } from "flylead";
import { Greeting, PROMPT } from "./greeting.ts";

/** Amount of the board's output that the screen shows. */
export interface Shown {
  /** Any of it. */
  greeted: boolean;
  /** All of it, up to the prompt. */
  prompted: boolean;
}

export class Prompt {
  readonly #board: Board;
  readonly #write: (text: string) => Promise<void>;
  /** While the board goes back to its prompt, its greeting is not news. */
  #greeting: Greeting | undefined;
  /** True if the board has sent any output. */
  #heard = false;
  #shown: Shown = { greeted: false, prompted: false };
  /** End of the output since the board was last given something to do. */
  #tail = "";
  /** True if a line was begun at the prompt, and not sent yet. */
  #isHalfTyped = false;
  readonly #turned: () => void;
  #turning: ReturnType<typeof setTimeout> | undefined;

  /** Shows what the board says, until that is closed or lost. `turned` is called when it may have become busy, or free. */
  constructor(board: Board, write: (text: string) => Promise<void>, turned: () => void) {
    this.#board = board;
    this.#write = write;
    this.#turned = turned;
    void this.#read();
  }

  get shown(): Shown {
    return { ...this.#shown };
  }

  /** True if the board waits at an empty prompt: its output ends with one, and nothing was sent since. */
  get isFree(): boolean {
    return this.#tail === PROMPT;
  }

  /** True if the board may run something by itself, or because of what was typed at its prompt. */
  get isBusy(): boolean {
    return !this.isFree && !this.#isHalfTyped;
  }

  /** Notes that the board got something to do, or a part of a line: its next prompt is awaited. */
  occupy(typed?: Uint8Array): void {
    this.#isHalfTyped = typed !== undefined && !ENDS.includes(typed.at(-1) ?? 0);
    this.#follow("", "");
  }

  /** A board that says nothing may be waiting at its prompt: an empty line shows it, and a busy board does not care. */
  knock(): void {
    if (!this.#heard) this.#board.send("\r");
  }

  /** Goes back to the prompt, and answers what the board says on the way, which is not shown. */
  async reach(): Promise<string> {
    const greeting = (this.#greeting = new Greeting());
    // A board that was asked nothing stays at its prompt, and says nothing.
    if (this.#board.mode !== "normal") this.occupy();
    try {
      await this.#board.leave();
      await greeting.over();
    } finally {
      this.#greeting = undefined;
    }
    this.#follow(greeting.text);
    return greeting.text;
  }

  /** Goes back to the prompt, and shows that. */
  async return(): Promise<void> {
    await this.#show(lastLineOf(await this.reach()));
  }

  /** Goes back to the prompt that the screen still shows. */
  async returnInSilence(): Promise<void> {
    const greeting = await this.reach();
    // A board that was used before it could say anything, or all of it.
    if (!this.#shown.greeted) await this.#show(greeting);
    else if (!this.#shown.prompted) await this.#show(lastLineOf(greeting));
    this.#shown.prompted = this.#shown.greeted;
  }

  /** The board is on its way to the prompt: the rest of its greeting is no news, nor is a prompt that is shown. */
  async arrive(shown: Shown = { greeted: true, prompted: false }): Promise<void> {
    const greeting = (this.#greeting = new Greeting());
    await greeting.over();
    this.#greeting = undefined;
    // The conversation failed before its first byte: the board is at its prompt, and says so when it is asked.
    if (greeting.text === "") return this.knock();
    this.#follow(greeting.text);
    if (shown.prompted) this.#shown = shown;
    else await this.#show(shown.greeted ? lastLineOf(greeting.text) : greeting.text);
  }

  async #read(): Promise<void> {
    try {
      const text = new TextDecoderStream();
      for await (const chunk of this.#board.terminal.readable.pipeThrough(text as unknown as Decoder)) {
        this.#heard = true;
        if (this.#greeting) this.#greeting.hear(chunk);
        else {
          this.#follow(chunk);
          await this.#show(chunk);
        }
      }
    } catch {
      // The stream fails with the board, and `lost` says so.
    }
  }

  #follow(output: string, before = this.#tail): void {
    this.#tail = (before + output).slice(-PROMPT.length);
    clearTimeout(this.#turning);
    this.#turning = setTimeout(this.#turned, TURN_MS);
  }

  async #show(text: string): Promise<void> {
    this.#shown.greeted ||= text !== "";
    this.#shown.prompted ||= text.endsWith(PROMPT);
    await this.#write(text);
  }
}

/** Ctrl-C, Ctrl-D and Enter, with which a line is no longer half typed. */
const ENDS: readonly number[] = [0x03, 0x04, 0x0d];
/** Time for which a board that answers at once does not count as busy. */
const TURN_MS = 400;

type Decoder = ReadableWritablePair<string, Uint8Array>;

function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf("\n") + 1);
}
