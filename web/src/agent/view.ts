/** Draws a reply's steps and the past turns. */

import { type AgentItem, type AgentPreview, type AgentResult, type AgentWorkspace, looksSecret } from "flylead/agent";
import { make } from "../dom.ts";
import { texts } from "../texts/agent.ts";
import { locale } from "../texts/index.ts";
import { visible } from "../visible.ts";
import type { Change, Turn } from "./work.ts";

/** A step of a reply with a box to accept it, and what it would change. `releases` are to be called when it goes. */
export async function previewItem(preview: AgentPreview, releases: (() => void)[]): Promise<HTMLElement> {
  // Files can be put back; what a command does cannot.
  const item = choice(preview.line, preview.kind === "change" ? intent(preview) : texts.runOnBoard, preview.kind === "change");
  if (preview.kind === "run") item.append(make("pre", visible(preview.command), "command"));
  else releases.push(await difference(item, preview));
  return item;
}

/** The files that a reply asks for, by their names and their contents. */
export async function readItems(items: readonly AgentItem[], workspace: AgentWorkspace): Promise<HTMLElement[]> {
  const shown: HTMLElement[] = [];
  for (const { line, command } of items) {
    if (command?.kind !== "READ_FILE") continue;
    // One that cannot be read is not sent either, and its result says why.
    const content = await workspace.read(command.path).catch(() => undefined);
    shown.push(readItem(line, command.path, looksSecret(command.path, content) !== undefined));
  }
  return shown;
}

/** A file with a box to let it go to the chat: what has been sent cannot be taken back. */
function readItem(line: number, path: string, isSecret: boolean): HTMLElement {
  const item = choice(line, texts.read(path), !isSecret);
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
  return (after === undefined ? texts.delete : before === undefined ? texts.create : texts.change)(path);
}

async function difference(item: HTMLElement, { path, before, after }: Changing): Promise<() => void> {
  const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes ?? new Uint8Array());
  const { showDiff } = await import("../diff.ts");
  const place = make("div", "", "diff-place");
  item.append(place);
  return showDiff(place, path, text(before), text(after));
}

/** A step that will fail, with why. */
export function failureItem({ command, summary }: AgentResult): HTMLElement {
  const item = make("li", "", "preview failing");
  item.append(make("strong", `${command}: `), visible(summary));
  return item;
}

/** A turn with its results, and a button to take it back. */
export function turnItem(turn: Turn, undo: (() => void) | undefined): HTMLElement {
  const item = make("li", "", "turn");
  const head = make("div", "", "turn-head");
  head.append(make("strong", texts.reply(turn.sequence)), make("span", turn.when.toLocaleTimeString(locale), "when"));
  if (turn.interrupted) head.append(make("span", texts.interrupted, "interrupted"));
  if (turn.undone) head.append(make("span", texts.undone, "undone"));
  else if (undo) head.append(undoButton(turn, undo));
  item.append(head, ...turn.messages.map((text) => make("p", visible(text), "message")), results(turn.interrupted ? turn.changes.map(changedBefore) : turn.results));
  return item;
}

/** Of a turn that was interrupted, only the changes are known. */
function changedBefore({ path }: Change): AgentResult {
  return { command: "", success: true, summary: texts.changedUnless(path) };
}

function undoButton(turn: Turn, undo: () => void): HTMLElement {
  const button = make("button", texts.undo, "undo");
  button.ariaLabel = texts.undoReply(turn.sequence);
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
