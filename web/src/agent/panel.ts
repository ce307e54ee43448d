/** The agent: a task, a message to copy, a reply to paste, what it would do, and what was done. */

import { type AgentReplyOptions, init, newSession, parseInbox, previewReply, splitOutbox, writeOutbox } from "flylead/agent";
import { askWhether } from "../dialog.ts";
import type { Boards } from "../boards.ts";
import { make } from "../dom.ts";
import { folderPlace, hasFolders, pickHandle } from "../files/folder.ts";
import { join, type Place, ROOT } from "../files/place.ts";
import { keep, recall } from "../storage.ts";
import type { Tool } from "../tools.ts";
import { noticesIn } from "../tools/notices.ts";
import html from "./panel.html?raw";
import "./panel.css";
import { texts } from "../texts/agent.ts";
import { filled, locale } from "../texts/index.ts";
import { failureItem, previewItem, turnItem } from "./view.ts";
import { carryOut, forgetWork, inWorkspace, keepWork, onBoard, recallWork, type Turn, undo, type Where, type Work } from "./work.ts";

/** `changed` is told what a reply, or taking it back, has changed. */
export function openAgent(parent: HTMLElement, boards: Boards, changed: (place: Place, paths: readonly string[]) => Promise<void>): Tool {
  parent.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => parent.querySelector<T>(selector)!;
  const { attempt, say } = noticesIn(parent);
  const reply = find<HTMLTextAreaElement>("[name=reply]");
  const limit = find<HTMLSelectElement>("[name=limit]");
  let work: Work | undefined;
  let outbox = "";
  /** What the person said about the reply that is shown. */
  let options: AgentReplyOptions = {};
  /** What the previews that are shown hold. */
  const releases: (() => void)[] = [];
  for (const option of limit.options) if (option.value) option.text = Number(option.value).toLocaleString(locale);
  limit.value = recall("agent-limit") ?? "";
  if (!hasFolders()) find<HTMLInputElement>("[value=folder]").disabled = true;
  const resumed = attempt(resume);
  find("form").addEventListener("submit", (event) => (event.preventDefault(), void attempt(begin)));
  limit.addEventListener("change", () => (keep("agent-limit", limit.value), drawOutbox()));
  for (const [act, does] of Object.entries({ leave, look, apply, refuse: async () => showPreview(false) })) {
    find(`[data-do=${act}]`).addEventListener("click", () => void attempt(does));
  }

  async function resume(): Promise<void> {
    await init();
    work = await recallWork();
    outbox = recall("agent-outbox") ?? "";
    draw();
  }

  /** Whoever is quicker than the task that is taken up again waits for that: it would be drawn over the new one. */
  async function begin(): Promise<void> {
    await resumed;
    const where = await chosenPlace();
    if (!where) return;
    const task = find<HTMLTextAreaElement>("[name=task]").value.trim();
    const session = newSession(task, { commands: where.kind === "board" ? "python" : "shell" });
    await proceed({ session, where, turns: [] });
  }

  async function chosenPlace(): Promise<Where | undefined> {
    const kind = find<HTMLInputElement>("[name=where]:checked").value;
    if (kind === "board") return onBoard(front(), find<HTMLInputElement>("[name=root]").value || "/");
    const handle = await pickHandle();
    return handle && { kind: "folder", handle };
  }

  /** Keeps the task as it is now, and writes its next message. */
  async function proceed(next: Work): Promise<void> {
    outbox = next.session.isComplete ? "" : await inWorkspace(next.where, front(), (workspace) => writeOutbox(next.session, workspace));
    work = next;
    await keepWork(work);
    keep("agent-outbox", outbox);
    draw();
  }

  function front() {
    return boards.current;
  }

  async function leave(): Promise<void> {
    const isOver = work?.session.isComplete === true;
    if (!isOver && !(await askWhether(texts.newTaskAsked, texts.newTaskExplained, texts.newTaskAction))) return;
    work = undefined;
    await forgetWork();
    say("");
    draw();
    find("[name=task]").focus();
  }

  async function look(): Promise<void> {
    if (!work) return;
    const { session, where } = work;
    const preview = (force: boolean) => {
      options = { ...options, force };
      return inWorkspace(where, front(), (workspace) => previewReply(session, reply.value, workspace, options));
    };
    options = { acceptCopy: await acceptsCopy(reply.value) };
    const { previews, results } = await preview(false).catch(async (error: unknown) => {
      const forced = await preview(true).catch(() => Promise.reject(error));
      if (!(await askWhether(texts.isReply, `${(error as Error).message}.`, texts.takeIt))) throw error;
      return forced;
    });
    showPreview(false);
    const items = await Promise.all(previews.map((preview) => previewItem(preview, releases)));
    find(".previews").replaceChildren(...items, ...results.filter(({ success }) => !success).map(failureItem));
    if (items.length === 0) find(".previews").append(make("li", texts.nothingToDo, "preview"));
    showPreview(true);
    find("[data-do=apply]").focus();
  }

  /** A reply that begins with a copy of our message is looked at twice. */
  async function acceptsCopy(text: string): Promise<boolean> {
    if (parseInbox(text).outboxCopy === null) return false;
    return askWhether(texts.isReply, texts.isCopy, texts.readRest);
  }

  async function apply(): Promise<void> {
    if (!work) return;
    const now = work;
    const boxes = new Map([...parent.querySelectorAll<HTMLInputElement>("[name=accept]")].map(({ value, checked }) => [Number(value), checked]));
    const next = await inWorkspace(now.where, front(), (workspace) => carryOut(now, reply.value, workspace, (line) => boxes.get(line), options));
    work = next;
    await keepWork(next);
    await tellChanged(next.turns.at(-1)!);
    reply.value = "";
    showPreview(false);
    await proceed(next);
    const failed = next.session.lastResults.filter(({ success }) => !success).length;
    say(next.session.isComplete ? texts.done : failed > 0 ? texts.notDone(failed, next.session.lastResults.length) : texts.next);
  }

  /** What is open in the editor is to be what is there now. */
  async function tellChanged({ changes }: Turn): Promise<void> {
    if (!work || changes.length === 0) return;
    const { where } = work;
    const place = where.kind === "board" ? front().place : folderPlace(where.handle);
    const root = where.kind === "board" ? where.root : ROOT;
    await changed(place, [...new Set(changes.map(({ path }) => join(root.replace(/(.)\/$/, "$1"), path)))]);
  }

  async function takeBack(turn: Turn): Promise<void> {
    if (!work) return;
    const said = await inWorkspace(work.where, front(), (workspace) => undo(turn, workspace));
    turn.undone = true;
    await tellChanged(turn);
    say(said.join("; ") || texts.nothingChanged);
    await proceed(work);
  }

  function draw(): void {
    for (const step of ["outbox", "reply"]) find(`[data-step=${step}]`).hidden = !work || work.session.isComplete;
    find("[data-step=begin]").hidden = work !== undefined;
    find("[data-do=leave]").hidden = work === undefined;
    showPreview(false);
    drawOutbox();
    drawTurns();
  }

  function showPreview(shown: boolean): void {
    find("[data-step=preview]").hidden = !shown;
    if (shown) return;
    for (const release of releases.splice(0)) release();
    find(".previews").replaceChildren();
  }

  function drawOutbox(): void {
    const parts = work && outbox ? (limit.value ? splitOutbox(outbox, work.session, Number(limit.value)) : [outbox]) : [];
    find(".parts").replaceChildren(...parts.map((part, at) => (parts.length === 1 ? copyButton(part, texts.copy, texts.copied) : copyButton(part, texts.copyPart(at + 1, parts.length), texts.copiedPart(at + 1, parts.length)))));
    find("summary").textContent = texts.message(work?.session.sequenceNumber ?? 1, outbox.length.toLocaleString(locale));
    find("details pre").textContent = outbox;
  }

  function copyButton(text: string, label: string, copied: string): HTMLElement {
    const button = make("button", label, "primary");
    button.addEventListener("click", () =>
      void attempt(async () => {
        await navigator.clipboard.writeText(text);
        button.className = "";
        button.textContent = `${copied} ✓`;
      }),
    );
    return button;
  }

  function drawTurns(): void {
    const turns = work?.turns ?? [];
    find("[data-step=history]").hidden = turns.length === 0;
    const last = turns.findLast(({ undone, changes }) => !undone && changes.length > 0);
    find(".turns").replaceChildren(...turns.toReversed().map((turn) => turnItem(turn, turn === last ? () => void attempt(() => takeBack(turn)) : undefined)));
  }

  return { focus: () => (work ? reply : find("[name=task]")).focus() };
}
