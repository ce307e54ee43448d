/** Loads the parts of an editor that are needed for work in it: a page that is only viewed is ready sooner. */

import { Compartment, type Extension, type StateEffect } from "@codemirror/state";
import { type EditorView, keymap, runScopeHandlers } from "@codemirror/view";
import type { Report } from "../writing/help.ts";

export interface Later {
  /** For a document of this name. Keys of it come before those of the editor. */
  extension(name: string): Extension;
  /** For one that is shown again. */
  renew(name: string): StateEffect<unknown>;
}

type Tools = typeof import("./tools.ts");

/** `report` says why a key did nothing. */
export function makeLater(view: EditorView, report: Report): Later {
  let coming: Promise<Tools> | undefined;
  let tools: Tools | undefined;
  let shown = "";

  const present = () => tools?.toolsFor(shown) ?? [];

  async function bring(): Promise<void> {
    coming ??= import("./tools.ts");
    try {
      const brought = await coming;
      if (tools) return;
      tools = brought;
      view.dispatch({ effects: place.reconfigure(present()) });
    } catch (error) {
      coming = undefined; // The next one who works here tries again.
      throw error;
    }
  }

  /** Repeats keys that were pressed before the tools were loaded. */
  function press(opened: EditorView, event: KeyboardEvent): boolean {
    if (tools || !KEYS.has(nameOf(event))) return false;
    void bring().then(() => runScopeHandlers(opened, event, "editor"), (error: unknown) => report(error, true));
    return true;
  }

  const prepare = () => void bring().catch(() => undefined);
  for (const sign of ["focusin", "pointerenter"]) view.dom.addEventListener(sign, prepare);
  return {
    renew: (name) => ((shown = name), place.reconfigure(present())),
    extension: (name) => [place.of(((shown = name), present())), keymap.of([{ any: press }])],
  };
}

function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string {
  return [ctrlKey || metaKey ? "Mod" : "", altKey ? "Alt" : "", shiftKey ? "Shift" : "", key.toLowerCase()].filter((part) => part !== "").join("-");
}

const place = new Compartment();
/** The keys of the tools that nothing else has: to find, to complete, and to go to a mistake. */
const KEYS: ReadonlySet<string> = new Set(["Mod-f", "f3", "Shift-f3", "Mod-g", "Mod-Shift-g", "Mod-Alt-g", "Mod-d", "Mod-Shift-l", "Mod- ", "Mod-Shift-m", "f8"]);
