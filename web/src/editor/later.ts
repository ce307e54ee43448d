/** Loads the parts of an editor that are only needed for editing, so that a page that is only viewed is ready sooner. */

import { Compartment, type Extension, type StateEffect } from "@codemirror/state";
import { type EditorView, keymap, runScopeHandlers } from "@codemirror/view";
import type { Report } from "./writing/help.ts";

export interface Later {
  /** Returns the extension for a document of this name. Its keys take precedence over those of the editor. */
  extension(name: string): Extension;
  /** Returns the effect that updates a document when it is displayed again. */
  renew(name: string): StateEffect<unknown>;
}

type Tools = typeof import("./tools.ts");

/** `report` receives the reason why a key had no effect. */
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
/** Keys that only the tools use: to find, to complete, and to go to a problem. */
const KEYS: ReadonlySet<string> = new Set(["Mod-f", "f3", "Shift-f3", "Mod-g", "Mod-Shift-g", "Mod-Alt-g", "Mod-d", "Mod-Shift-l", "Mod- ", "Mod-Shift-m", "f8"]);
