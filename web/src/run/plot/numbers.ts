/**
 * Finds numbers in the output of a program: `1 2 3`, `1, 2`, `x: 1.5 y: 2`, `temperature = 21.5 °C, humidity: 40 %`,
 * JSON, and Python's print of a tuple, a list or a dict.
 */

/** Returns the values of a line by their names; `undefined` if it contains anything else. */
export function numbersIn(line: string): Map<string, number> | undefined {
  const text = line.trim();
  const values = /^[[({]/.test(text) ? (inData(text) ?? inWords(text.replace(/^[([]|[)\]]$/g, ""))) : inWords(text);
  return values && values.size > 0 ? values : undefined;
}

/** Finds a name, a number, and an optional unit: a word that names the next value is not a unit. */
function inWords(text: string): Map<string, number> | undefined {
  const values = new Map<string, number>();
  let rest = text;
  while (rest !== "") {
    const found = VALUE.exec(rest);
    if (!found) return undefined;
    const [whole, name, value, unit] = found;
    const called = name?.trim() || `value ${values.size + 1}`;
    values.set(unit ? `${called} (${unit})` : called, Number(value));
    rest = rest.slice(whole.length);
  }
  return values;
}

function inData(text: string): Map<string, number> | undefined {
  const data = parsed(text) ?? parsed(jsonOf(text));
  if (typeof data !== "object" || data === null) return undefined;
  const values = new Map<string, number>();
  collect(data, "", values);
  return values;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts Python's print of a value to JSON, as far as numbers and names are concerned. */
function jsonOf(text: string): string {
  return text
    .replace(/'([^'"\\]*)'/g, '"$1"')
    .replace(/\(/g, "[")
    .replace(/\)/g, "]")
    .replace(/,\s*([\]}])/g, "$1")
    .replace(/([{,]\s*)(-?\d+(?:\.\d+)?)(\s*:)/g, '$1"$2"$3')
    .replace(/\b(True|False|None)\b/g, "null");
}

function collect(data: object, above: string, values: Map<string, number>): void {
  const isList = Array.isArray(data);
  for (const [key, value] of Object.entries(data)) {
    const name = isList ? `${above || "value"} ${Number(key) + 1}` : above ? `${above}.${key}` : key;
    if (typeof value === "number") values.set(name, value);
    else if (typeof value === "object" && value !== null) collect(value as object, name, values);
  }
}

/** Splits a stream of text into complete lines. */
export class Lines {
  #rest = "";

  /** Returns the lines completed by `text`. */
  push(text: string): string[] {
    const lines = (this.#rest + text).split(/\r?\n/);
    // A line that never ends is not a line of numbers.
    this.#rest = (lines.pop() ?? "").slice(-LONGEST);
    return lines;
  }
}

const NAME = /([\p{L}_][\w .%°/-]*?)?\s*[:=]?\s*/u.source;
const NUMBER = /(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/.source;
const UNIT = /(?:\s*([%°µμΩ][\p{L}/%²³]{0,7}|\p{L}[\p{L}/%²³]{0,7}(?![\w ]*[:=]|\s+-?[\d.])))?/u.source;
const END = /(?:\s*[,;|\t]\s*|\s+|$)/.source;
const VALUE = new RegExp(`^${NAME}${NUMBER}${UNIT}${END}`, "iu");
const LONGEST = 1000;
