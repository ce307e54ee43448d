/**
 * Storage of the page in this browser. A browser that keeps nothing refuses even queries; the page
 * works all the same.
 */

const PREFIX = "flylead.";

/** Returns the text kept under this name, if any. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value kept under this name, if it is one that the page has kept. An invalid one is
 * moved to another name: a page that cannot read it must neither stop there nor overwrite it.
 */
export function recallJson<T>(name: string, is: (value: unknown) => value is T): T | undefined {
  const text = recall(name);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (is(value)) return value;
  keep(`unreadable.${name}`, text);
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

/** Keeps nothing under this name any more. */
export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Where nothing is kept, nothing is to be forgotten.
  }
}

/** The names under which something is kept that begin so. */
export function recallNames(beginning: string): string[] {
  try {
    const names = Object.keys(localStorage);
    return names.filter((name) => name.startsWith(PREFIX + beginning)).map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** Tells of each name that begins so when another tab keeps something else under it, or nothing. */
export function watch(beginning: string, changed: (name: string) => void): void {
  addEventListener("storage", ({ key, storageArea }) => {
    if (key?.startsWith(PREFIX + beginning) && storageArea === localStorage) changed(key.slice(PREFIX.length));
  });
}

/** Keeps a text for this tab, and for the next one that is opened. */
export function keepInTab(name: string, text: string): void {
  keep(name, text);
  keepInThisTab(name, text);
}

/** Returns the text that this tab keeps under this name, or the last tab that kept one. */
export function recallInTab(name: string): string | undefined {
  return recallInThisTab(name) ?? recall(name);
}

/** Keeps a text for this tab alone. */
export function keepInThisTab(name: string, text: string): void {
  try {
    sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // The next reload begins as a new tab does.
  }
}

/** Returns the text that this tab keeps under this name. */
export function recallInThisTab(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}
