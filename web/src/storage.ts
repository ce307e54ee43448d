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

/** Keeps a text under this name; says whether the browser would. */
export function keep(name: string, text: string): boolean {
  try {
    localStorage.setItem(PREFIX + name, text);
    return true;
  } catch {
    return false;
  }
}
