/** Numbers in what a program prints: `1 2 3`, `1, 2`, `x: 1.5 y: 2`, `x=1.5, y=2`. */

/** The values of a line by their names; `undefined` when it says anything else. */
export function numbersIn(line: string): Map<string, number> | undefined {
  const text = line.trim().replace(/^[([]|[)\]]$/g, "");
  const values = new Map<string, number>();
  let rest = text;
  while (rest !== "") {
    const found = VALUE.exec(rest);
    if (!found) return undefined;
    values.set(found[1] ?? `value ${values.size + 1}`, Number(found[2]));
    rest = rest.slice(found[0].length);
  }
  return values.size > 0 ? values : undefined;
}

/** Cuts a stream of text into whole lines. */
export class Lines {
  #rest = "";

  /** The lines that `text` has ended. */
  push(text: string): string[] {
    const lines = (this.#rest + text).split(/\r?\n/);
    // A line that never ends is no line of numbers.
    this.#rest = (lines.pop() ?? "").slice(-LONGEST);
    return lines;
  }
}

const VALUE = /^([A-Za-z_][\w .%°/-]*?)?\s*[:=]?\s*(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?:\s*[,;\t]\s*|\s+|$)/i;
const LONGEST = 1000;
