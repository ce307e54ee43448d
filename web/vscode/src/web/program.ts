/** Programs run by the npm package. */

import { isFlyleadError, type Outcome } from "flylead";
import type { Program, Refusal } from "../run";
import type { Device } from "./device";
import type { Board } from "flylead";

export class TextProgram implements Program {
  #board: Board | undefined;
  #isStopped = false;

  constructor(
    private readonly device: Device,
    private readonly file: string,
    private readonly text: string,
  ) {}

  start(onOutput: (text: string) => void): Promise<Refusal | undefined> {
    return this.device.hold(`${this.file} runs`, async (board) => {
      if (this.#isStopped) return undefined;
      this.#board = board;
      try {
        const run = board.run(this.text);
        for await (const text of run) onOutput(text);
        return this.#refusal(await run);
      } catch (error) {
        if (!isFlyleadError(error)) throw error;
        return { code: "lost", message: error.message };
      } finally {
        this.#board = undefined;
      }
    });
  }

  type(text: string): void {
    this.#board?.send(text);
  }

  interrupt(): void {
    this.#isStopped = true;
    this.#board?.interrupt();
  }

  /** Drops the link: a program that hears no Ctrl-C has the board until it is reset. */
  abandon(): void {
    void this.device.close();
  }

  #refusal(outcome: Outcome): Refusal | undefined {
    if (outcome.kind === "restarted") return { code: "restarted", message: "The board has restarted." };
    if (outcome.kind !== "raised") return undefined;
    const { frames, text, message, exception } = outcome.traceback;
    const code = this.#isStopped && exception === "KeyboardInterrupt" ? "interrupted" : "raised";
    return { code, message: message ? `${exception}: ${message}` : exception, traceback: { frames, text: text.replaceAll('"<stdin>"', `"${this.file}"`) } };
  }
}
