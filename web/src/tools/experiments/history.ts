/**
 * History of every line sent and received over a port, with its time, as `flylead export history` shows it. This browser
 * keeps it over reloads, restarts of the device, and unplugging.
 */

import { done, openingDatabase } from "../../storage/database.ts";
import { Lines } from "../../run/plot/numbers.ts";

/** Direction of a line: to the device, from it, or a note on what happened. */
type Way = ">" | "<" | "!";

interface Line {
  port: string;
  text: string;
}

export class History {
  readonly #port: string;
  readonly #incoming = new Lines();
  readonly #decoder = new TextDecoder();
  #unwritten: string[] = [];

  constructor(port: string) {
    this.#port = port;
  }

  sent(line: string): void {
    this.#add(">", line);
  }

  received(data: Uint8Array | string): void {
    const text = typeof data === "string" ? data : this.#decoder.decode(data, { stream: true });
    for (const line of this.#incoming.push(text)) this.#add("<", line.trimEnd());
  }

  note(text: string): void {
    this.#add("!", text);
  }

  #add(way: Way, text: string): void {
    // Written together, soon: a device may say a hundred lines a second.
    if (this.#unwritten.length === 0) setTimeout(() => void this.flush(), WAIT_MS);
    const printable = text.replace(/\p{Cc}/gu, "").slice(0, LONGEST);
    this.#unwritten.push(`${new Date().toISOString()} ${way} ${printable}`);
  }

  /** Stores the lines that wait for that. */
  async flush(): Promise<void> {
    const lines = this.#unwritten.splice(0);
    if (lines.length === 0) return;
    // A browser that stores nothing stops no experiment.
    await append(this.#port, lines).catch(() => {});
  }
}

/** Returns the history of a port, oldest line first. */
export async function historyOf(port: string): Promise<string> {
  const lines = (await database()).transaction(LINES).objectStore(LINES).index(PORT).getAll(port);
  await done(lines.transaction!);
  return (lines.result as Line[]).map(({ text }) => `${text}\n`).join("");
}

async function append(port: string, lines: readonly string[]): Promise<void> {
  const transaction = (await database()).transaction(LINES, "readwrite");
  const store = transaction.objectStore(LINES);
  for (const text of lines) store.add({ port, text } satisfies Line);
  const keys = store.index(PORT).getAllKeys(port);
  keys.addEventListener("success", () => {
    for (const key of keys.result.slice(0, -MOST)) store.delete(key);
  });
  await done(transaction);
}

const database = openingDatabase("flylead.history", (made) => {
  made.createObjectStore(LINES, { autoIncrement: true }).createIndex(PORT, PORT);
});

const LINES = "lines";
const PORT = "port";
const WAIT_MS = 200;
/** Limit of a line in characters; longer ones are cut. */
const LONGEST = 1024;
/** Limit of the lines of a port; the newest are kept. */
const MOST = 10_000;
