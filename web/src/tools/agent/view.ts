/** Draws a reply's steps and the past turns. */

import { type AgentItem, type AgentPreview, type AgentResult, type AgentWorkspace, looksSecret } from "flylead/agent";
import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/agent.ts";
import { locale } from "../../texts/index.ts";
import { visible } from "../../ui/visible.ts";
import type { Change, Turn } from "./work.ts";

/** Draws a step of a reply, with a checkbox and its changes. Call the added `releases` when it is removed. */
export async function previewItem(preview: AgentPreview, releases: (() => void)[]): Promise<HTMLElement> {
  // Files can be restored; the effects of a command cannot.
  const item = choice(preview.line, preview.kind === "change" ? intent(preview) : texts.runOnBoard, preview.kind === "change");
  if (preview.kind === "run") item.append(make("pre", visible(preview.command), "command"));
  else releases.push(await difference(item, preview));
  return item;
}

/** Draws the files that a reply requests, by their names and their contents. */
export async function readItems(items: readonly AgentItem[], workspace: AgentWorkspace): Promise<HTMLElement[]> {
  const shown: HTMLElement[] = [];
  for (const { line, command } of items) {
    if (command?.kind !== "READ_FILE") continue;
    // An unreadable file is not sent either, and its result gives the reason.
    const content = await workspace.read(command.path).catch(() => undefined);
    shown.push(readItem(line, command.path, looksSecret(command.path, content) !== undefined));
  }
  return shown;
}

/** Draws a file with a checkbox for sending it to the chat, which cannot be undone. */
function readItem(line: number, path: string, isSecret: boolean): HTMLElement {
  const item = choice(line, texts.read({ path }), !isSecret);
  if (isSecret) item.append(make("p", texts.secret, "secret"));
  return item;
}

function choice(line: number, what: string, checked: boolean): HTMLElement {
  const item = make("li", "", "preview");
  const label = make("label");
  const box = make("input");
  Object.assign(box, { type: "checkbox", name: "accept", value: String(line), checked });
  label.append(box, make("span", visible(what), "what"));
  item.append(label);
  return item;
}

type Changing = Extract<AgentPreview, { kind: "change" }>;

function intent({ path, before, after }: Changing): string {
  return (after === undefined ? texts.delete : before === undefined ? texts.create : texts.change)({ path });
}

async function difference(item: HTMLElement, { path, before, after }: Changing): Promise<() => void> {
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes ?? new Uint8Array());
  const { showDiff } = await import("../../editor/diff.ts");
  const place = make("div", "", "diff-place");
  item.append(place);
  return showDiff(place, path, text(before), text(after));
}

/** Draws a step that will fail, with the reason. */
export function failureItem({ command, summary }: AgentResult): HTMLElement {
  const item = make("li", "", "preview failing");
  item.append(make("strong", `${command}: `), visible(summary));
  return item;
}

/** Draws a turn with its results, and a button that undoes it. */
export function turnItem(turn: Turn, undo: (() => void) | undefined): HTMLElement {
  const item = make("li", "", "turn");
  const head = make("div", "", "turn-head");
  head.append(make("strong", texts.reply({ number: turn.sequence })), make("span", turn.when.toLocaleTimeString(locale), "when"));
  if (turn.interrupted) head.append(make("span", texts.interrupted, "interrupted"));
  if (turn.undone) head.append(make("span", texts.undone, "undone"));
  else if (undo) head.append(undoButton(turn, undo));
  item.append(head, ...turn.messages.map((text) => make("p", visible(text), "message")), results(turn.interrupted ? turn.changes.map(changedBefore) : turn.results));
  return item;
}

/** Returns the result of an interrupted turn, of which only the changes are known. */
function changedBefore({ path }: Change): AgentResult {
  return { command: "", success: true, summary: texts.changedUnless({ path }) };
}

function undoButton(turn: Turn, undo: () => void): HTMLElement {
  const button = make("button", texts.undo, "undo");
  button.ariaLabel = texts.undoReply({ number: turn.sequence });
  button.addEventListener("click", undo);
  return button;
}

function results(all: readonly AgentResult[]): HTMLElement {
  const list = make("ul", "", "results");
  list.append(...all.map(({ command, success, summary, output }) => {
    const item = make("li", "", success ? "done" : "failed");
    item.append(make("span", success ? "✓" : "✗", "mark"), ` ${visible(summary || command)}`);
    if (output) item.append(make("pre", visible(output)));
    return item;
  }));
  return list;
}
