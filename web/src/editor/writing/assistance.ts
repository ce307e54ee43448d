/** Loads the help for writing Python, not before somebody begins to write some. */

import { Compartment, type Extension, type StateEffect, type Transaction } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { settings, watchSettings } from "../../storage/settings.ts";
import type { Checks } from "./checks.ts";
import type { Report, Surroundings } from "./help.ts";

export interface Assistance {
  /** For a document in Python. */
  extension(): Extension;
  /** For a document that is shown again. */
  renew(): StateEffect<unknown>;
}

export function makeAssistance(view: EditorView, report: Report, surroundings: () => Surroundings): Assistance {
  let coming: Promise<Checks> | undefined;
  let checks: Checks | undefined;
  const present = () => (checks && settings().help ? checks.extension : []);
  const renew = () => place.reconfigure(present());

  async function bring(): Promise<Checks> {
    coming ??= import("./checks.ts").then(({ openChecks }) => openChecks(report, surroundings));
    try {
      return (checks = await coming);
    } catch (error) {
      coming = undefined;
      throw error;
    }
  }

  async function help(): Promise<void> {
    if (coming) return;
    await bring();
    view.dispatch({ effects: renew() });
  }

  async function format(): Promise<void> {
    await (await bring()).format(view);
  }

  watchSettings(() => view.dispatch({ effects: renew() }));
  return {
    renew,
    extension: () => [
      place.of(present()),
      keymap.of([{ key: "Shift-Alt-f", run: () => (void format().catch((error: unknown) => report(error, true)), true) }]),
      EditorView.updateListener.of(({ transactions }) => {
        if (settings().help && transactions.some(isTyped)) void help().catch((error: unknown) => report(error, false));
      }),
    ],
  };
}

function isTyped(transaction: Transaction): boolean {
  return transaction.docChanged && (transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
}

const place = new Compartment();
