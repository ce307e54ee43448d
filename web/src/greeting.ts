/** What a board says between a program's end and its prompt. */
export class Greeting {
  text = "";
  #arrived!: () => void;
  /** Resolves with the prompt, which may trail; a board with another prompt is waited for only so long. */
  readonly over = Promise.race([new Promise<void>((resolve) => (this.#arrived = resolve)), sleep(PROMPT_MS)]);

  hear(chunk: string): void {
    this.text += chunk;
    if (this.text.endsWith(PROMPT)) this.#arrived();
  }
}

function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

const PROMPT = ">>> ";
/** How long the prompt may trail the answer to `leave`. */
const PROMPT_MS = 500;
