/** Ruff, in a worker that begins with the first question. */

import { texts } from "../../texts/writing.ts";

/** A place in a text; both from 1, the column in UTF-16 code units. */
export interface Location {
  row: number;
  column: number;
}

export interface Fault {
  /** Rule, such as `F821`. */
  rule: string;
  message: string;
  start: Location;
  end: Location;
  /** It does no harm, and could go. */
  isUnneeded: boolean;
  fix: { message: string | null; edits: { start: Location; end: Location; text: string }[] } | null;
}

export interface Question {
  id: number;
  ask: "check" | "format";
  text: string;
  /** Blanks for each level. */
  indent: number;
}

export type Answer = { id: number } & ({ faults: Fault[] } | { text: string } | Refusal);

interface Refusal {
  error: string;
  /** Ruff itself could not be loaded. */
  isMissing: boolean;
}

export class Ruff {
  #worker: Worker | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();

  /** Returns the certain and possible faults of a program. */
  async check(text: string, indent: number): Promise<Fault[]> {
    const answer = await this.#ask({ ask: "check", text, indent });
    return "faults" in answer ? answer.faults : [];
  }

  /** The program as it is usually laid out. Rejects with why it cannot be. */
  async format(text: string, indent: number): Promise<string> {
    const answer = await this.#ask({ ask: "format", text, indent });
    return "text" in answer ? answer.text : text;
  }

  async #ask(question: Omit<Question, "id">): Promise<Answer> {
    if (question.text.length > LONGEST) throw new Error(texts.tooLong({ thousands: LONGEST / 1000 }));
    const id = ++this.#asked;
    const worker = (this.#worker ??= this.#start());
    const slow = setTimeout(() => this.#end(new Error(texts.checksSilent)), DEADLINE_MS);
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        worker.postMessage({ id, ...question });
      });
      if ("error" in answer) this.#refuse(answer);
      return answer;
    } finally {
      clearTimeout(slow);
      this.#waiting.delete(id);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL("./ruff.worker.ts", import.meta.url), { type: "module", name: "ruff" });
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => this.#waiting.get(data.id)?.resolve(data));
    worker.addEventListener("error", (event) => this.#end(new Error(event.message || texts.checksNotStarted)));
    return worker;
  }

  /** Fails the pending requests; the next one starts a new worker. */
  #end(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #refuse({ error, isMissing }: Refusal): never {
    const why = new Error(error);
    if (isMissing) this.#end(why);
    throw why;
  }
}

/** Of a program, in UTF-16 code units. */
const LONGEST = 500_000;
/** Also on a slow phone, which compiles 11 MB of WebAssembly first. */
const DEADLINE_MS = 60_000;
