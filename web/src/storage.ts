/** What this browser keeps for the page. One that keeps nothing refuses even to be asked; the page works all the same. */

const PREFIX = "flylead.";

/** What was kept under this name, if anything. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * The same of a value, if it is one that the page has kept. What is not is put aside under another name: a page that
 * cannot read it must neither stop there nor write over it.
 */
export function recallJson<T>(name: string, is: (value: unknown) => value is T): T | undefined {
  const text = recall(name);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (is(value)) return value;
  keep(`${name}.unreadable`, text);
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a text under this name; says whether the browser would. */
export function keep(name: string, text: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    return false;
  }
}
