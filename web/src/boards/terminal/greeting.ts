import { sleep } from "../../time.ts";

/** Filters a board's output between a program's end and its prompt. */
export class Greeting {
  text = "";
  #arrived!: () => void;
  readonly #prompt = new Promise<void>((resolve) => (this.#arrived = resolve));

  hear(chunk: string): void {
    this.text += chunk;
    if (this.text.endsWith(PROMPT)) this.#arrived();
  }

  /**
   * Resolves once the prompt has arrived, which may trail; a board with another prompt is only waited for a limited
   * time.
   */
  over(): Promise<void> {
    return Promise.race([this.#prompt, sleep(PROMPT_MS)]);
  }
}

/** MicroPython's prompt, unless a program has set `sys.ps1`. */
export const PROMPT = ">>> ";
/** Time by which the prompt may trail the answer to `leave`. */
const PROMPT_MS = 500;
