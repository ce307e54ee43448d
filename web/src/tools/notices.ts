/** Notices of a tool: passing reports, and errors that stay until the next attempt. */

import { cureFor } from "../guide/cures.ts";
import { sentence } from "../ui/sentence.ts";

export interface Notices {
  /** Runs some work, and reports its errors. */
  attempt(work: () => Promise<void>): Promise<void>;
  /** Shows an error; `undefined` clears it. */
  showError(error: unknown): void;
  /** Reports a result. */
  say(text: string): void;
}

/** Creates the notices in the `.fault` and the `.status` of a tool. */
export function noticesIn(tool: HTMLElement): Notices {
  async function attempt(work: () => Promise<void>): Promise<void> {
    showError(undefined);
    await work().catch(showError);
  }

  function showError(error: unknown): void {
    const fault = tool.querySelector<HTMLElement>(".fault");
    if (!fault) return; // The tool was taken away.
    fault.hidden = error === undefined;
    const text = error === undefined ? "" : sentence(error);
    fault.replaceChildren(text, ...cureFor(text));
  }

  function say(text: string): void {
    const status = tool.querySelector(".status");
    if (status) status.textContent = text;
  }

  return { attempt, showError, say };
}
