/** The program as it was last typed: it survives a reload, a crash and a closed lid. */

const KEY = "flylead.program";

/** The program of the last visit, or `undefined` on the first one. */
export function loadDraft(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined; // A browser set to keep nothing refuses even to be asked.
  }
}

/** Keeps the program; says whether the browser would. */
export function saveDraft(program: string): boolean {
  try {
    localStorage.setItem(KEY, program);
    return true;
  } catch {
    return false;
  }
}
