/** Lists all shortcuts of the page, in a dialog. */

import { showDialog } from "../ui/dialog.ts";
import { make } from "../ui/dom.ts";
import { texts } from "../texts/dialogs.ts";
import "../ui/style/facts.css";

export function openShortcuts(): void {
  const content = make("div", "", "content");
  content.tabIndex = 0; // It may have to be scrolled, and there is nothing in it that takes the focus.
  content.role = "region";
  content.ariaLabel = texts.allKeys;
  for (const [title, keys] of KEYS) {
    const list = make("dl", "", "facts");
    list.append(...keys.flatMap(([pressed, what]) => [keysOf(pressed), make("dd", what)]));
    content.append(make("h3", title), list);
  }
  void showDialog(texts.keys, content, "listing");
}

function keysOf(pressed: string): HTMLElement {
  const name = make("dt");
  pressed.split(" ").forEach((key) => name.append(make("kbd", KEY_NAMES[key] ?? key), " "));
  return name;
}

const KEY_NAMES: Record<string, string> = texts.keyNames;

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [texts.theProgram, [
    ["Ctrl Enter", texts.keyRun],
    ["Ctrl Shift Enter", texts.keyRunLines],
    ["Ctrl .", texts.keyStop],
    ["Ctrl S", texts.keySave],
    ["Ctrl F", texts.keyFind],
    ["Ctrl Shift F", texts.keyFindAll],
    ["F1", texts.keyDocumentation],
    ["Ctrl Space", texts.keyComplete],
    ["Shift Alt F", texts.keyFormat],
    ["F8", texts.keyNextMistake],
    ["Ctrl Shift M", texts.keyMistakes],
    ["Ctrl /", texts.keyComment],
    ["Ctrl Z", texts.keyUndo],
  ]],
  [texts.theDebugger, [
    ["F9", texts.keyBreakpoint],
    ["F5", texts.keyDebug],
    ["F10", texts.keyOver],
    ["F11", texts.keyInto],
    ["Shift F11", texts.keyOut],
    ["F7", texts.keyPart],
    ["Shift F5", texts.keyEnd],
  ]],
  [texts.thePage, [
    ["F6", texts.keyCross],
    ["Alt 1–4", texts.keyTools],
    ["Esc Tab", texts.keyLeave],
    ["?", texts.keyList],
  ]],
];
