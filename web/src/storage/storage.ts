/**
 * Storage of the page in this browser. A browser that stores nothing refuses even queries; the page works all the same.
 */

const PREFIX = "flylead.";

/** Returns the text stored under this name, if any. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value stored under this name, if it is valid. An invalid one is moved to another name: a page that cannot
 * read it must neither fail nor overwrite it.
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

/** Stores a text under this name; returns true if the browser accepts it. */
export function keep(name: string, text: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    return false;
  }
}

/** Removes the text stored under this name. */
export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Without storage, there is nothing to remove.
  }
}

/** Returns the names in use that begin so. */
export function recallNames(beginning: string): string[] {
  try {
    const names = Object.keys(localStorage);
    return names.filter((name) => name.startsWith(PREFIX + beginning)).map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}

/** Reports each name beginning so under which another tab changes or removes a value. */
export function watch(beginning: string, changed: (name: string) => void): void {
  addEventListener("storage", ({ key, storageArea }) => {
    if (key?.startsWith(PREFIX + beginning) && storageArea === localStorage) changed(key.slice(PREFIX.length));
  });
}

/** Stores a text for this tab, and for the next one that is opened. */
export function keepInTab(name: string, text: string): void {
  keep(name, text);
  keepInThisTab(name, text);
}

/** Returns the text stored by this tab under this name, or else by the last tab that stored one. */
export function recallInTab(name: string): string | undefined {
  return recallInThisTab(name) ?? recall(name);
}

/** Stores a text only for this tab. */
export function keepInThisTab(name: string, text: string): void {
  try {
    sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // The next reload then starts like a new tab.
  }
}

/** Returns the text stored by this tab under this name. */
export function recallInThisTab(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}
