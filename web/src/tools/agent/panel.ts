/** The agent's panel: a task, a message to copy, a reply to paste, its preview, and the results. */

import { type AgentReplyOptions, init, newSession, parseInbox, previewReply, splitOutbox, writeOutbox } from "flylead/agent";
import { Component } from "../../ui/component.ts";
import { askWhether } from "../../ui/dialog.ts";
import type { Boards } from "../../boards/boards.ts";
import { make } from "../../ui/dom.ts";
import { folderPlace, hasFolders, pickHandle } from "../../places/folder.ts";
import { join, type Place, ROOT } from "../../places/place.ts";
import { keep, recall } from "../../storage/storage.ts";
import type { Tool } from "../../ui/layout/tools.ts";
import { noticesIn } from "../notices.ts";
import html from "./panel.html?raw";
import "./panel.css";
import { texts } from "../../texts/tools/agent.ts";
import { filled, locale } from "../../texts/index.ts";
import { failureItem, previewItem, readItems, turnItem } from "./view.ts";
import { carryOut, forgetWork, inWorkspace, keepWork, onBoard, recallWork, type Turn, undo, type Where, type Work } from "./work.ts";

export class AgentPanel extends Component implements Tool {
  readonly #boards: Boards;
  readonly #changed: (place: Place, paths: readonly string[]) => Promise<void>;
  readonly #notices = noticesIn(this.element);
  readonly #reply = this.find<HTMLTextAreaElement>("[name=reply]");
  readonly #limit = this.find<HTMLSelectElement>("[name=limit]");
  /** Functions that release the previews shown. */
  readonly #releases: (() => void)[] = [];
  readonly #resumed: Promise<void>;
  #work: Work | undefined;
  #outbox = "";
  /** Options that the user chose for the displayed reply. */
  #options: AgentReplyOptions = {};

  /** `changed` receives the changes made by a reply, or by undoing one. */
  constructor(parent: HTMLElement, boards: Boards, changed: (place: Place, paths: readonly string[]) => Promise<void>) {
    super(parent, filled(html, texts));
    [this.#boards, this.#changed] = [boards, changed];
    for (const option of this.#limit.options) if (option.value) option.text = Number(option.value).toLocaleString(locale);
    this.#limit.value = recall("agent-limit") ?? "";
    if (!hasFolders()) this.find<HTMLInputElement>("[value=folder]").disabled = true;
    this.#listen();
    this.#resumed = this.#notices.attempt(() => this.#resume());
  }

  #listen(): void {
    const { attempt } = this.#notices;
    const acts = { leave: () => this.#leave(), look: () => this.#look(), apply: () => this.#apply(), refuse: async () => this.#showPreview(false) };
    for (const [act, does] of Object.entries(acts)) this.on(`[data-do=${act}]`, "click", () => void attempt(does));
    this.on("form", "submit", (event) => (event.preventDefault(), void attempt(() => this.#begin())));
    this.on(this.#limit, "change", () => (keep("agent-limit", this.#limit.value), this.#drawOutbox()));
  }

  focus(): void {
    (this.#work ? this.#reply : this.find("[name=task]")).focus();
  }

  override dispose(): void {
    this.#showPreview(false);
    super.dispose();
  }

  async #resume(): Promise<void> {
    await init();
    this.#work = await recallWork();
    this.#outbox = recall("agent-outbox") ?? "";
    this.#draw();
  }

  /** Starts a task once a resumed one is ready, which would otherwise be drawn over the new one. */
  async #begin(): Promise<void> {
    await this.#resumed;
    const where = await this.#chosenPlace();
    if (!where) return;
    const task = this.find<HTMLTextAreaElement>("[name=task]").value.trim();
    const session = newSession(task, { commands: where.kind === "board" ? "python" : "shell" });
    await this.#proceed({ session, where, turns: [] });
  }

  async #chosenPlace(): Promise<Where | undefined> {
    const kind = this.find<HTMLInputElement>("[name=where]:checked").value;
    if (kind === "board") return onBoard(this.#front(), this.find<HTMLInputElement>("[name=root]").value || "/");
    const handle = await pickHandle();
    return handle && { kind: "folder", handle };
  }

  /** Stores the current task, and writes its next message. */
  async #proceed(next: Work): Promise<void> {
    this.#outbox = next.session.isComplete ? "" : await inWorkspace(next.where, this.#front(), (workspace) => writeOutbox(next.session, workspace));
    this.#work = next;
    await keepWork(this.#work);
    keep("agent-outbox", this.#outbox);
    this.#draw();
  }

  #front() {
    return this.#boards.current;
  }

  async #leave(): Promise<void> {
    const isOver = this.#work?.session.isComplete === true;
    if (!isOver && !(await askWhether(texts.newTaskAsked, texts.newTaskExplained, texts.newTaskAction))) return;
    this.#work = undefined;
    await forgetWork();
    this.#notices.say("");
    this.#draw();
    this.find("[name=task]").focus();
  }

  async #look(): Promise<void> {
    if (!this.#work) return;
    const { session, where } = this.#work;
    const preview = (force: boolean) => {
      this.#options = { ...this.#options, force };
      return inWorkspace(where, this.#front(), (workspace) => previewReply(session, this.#reply.value, workspace, this.#options));
    };
    this.#options = { acceptCopy: await this.#acceptsCopy(this.#reply.value) };
    const { previews, results } = await preview(false).catch(async (error: unknown) => {
      const forced = await preview(true).catch(() => Promise.reject(error));
      if (!(await askWhether(texts.isReply, `${(error as Error).message}.`, texts.takeIt, "primary"))) throw error;
      return forced;
    });
    this.#showPreview(false);
    const items = await Promise.all(previews.map((preview) => previewItem(preview, this.#releases)));
    items.push(...(await inWorkspace(where, this.#front(), (workspace) => readItems(parseInbox(this.#reply.value).items, workspace))));
    this.find(".previews").replaceChildren(...items, ...results.filter(({ success }) => !success).map(failureItem));
    if (items.length === 0) this.find(".previews").append(make("li", texts.nothingToDo, "preview"));
    this.#showPreview(true);
    this.find("[data-do=apply]").focus();
  }

  /** Asks for confirmation if a reply begins with a copy of our message. */
  async #acceptsCopy(text: string): Promise<boolean> {
    if (parseInbox(text).outboxCopy === undefined) return false;
    return askWhether(texts.isReply, texts.isCopy, texts.readRest, "primary");
  }

  async #apply(): Promise<void> {
    if (!this.#work) return;
    const now = this.#work;
    const boxes = new Map([...this.element.querySelectorAll<HTMLInputElement>("[name=accept]")].map(({ value, checked }) => [Number(value), checked]));
    const next = await inWorkspace(now.where, this.#front(), (workspace) => carryOut(now, this.#reply.value, workspace, (line) => boxes.get(line), this.#options));
    this.#work = next;
    await keepWork(next);
    await this.#tellChanged(next.turns.at(-1)!);
    this.#reply.value = "";
    this.#showPreview(false);
    await this.#proceed(next);
    const failed = next.session.lastResults.filter(({ success }) => !success).length;
    this.#notices.say(next.session.isComplete ? texts.done : failed > 0 ? texts.notDone({ failed, all: next.session.lastResults.length }) : texts.next);
  }

  /** Updates the open documents to the current files. */
  async #tellChanged({ changes }: Turn): Promise<void> {
    if (!this.#work || changes.length === 0) return;
    const { where } = this.#work;
    const place = where.kind === "board" ? this.#front().place : folderPlace(where.handle);
    const root = where.kind === "board" ? where.root : ROOT;
    await this.#changed(place, [...new Set(changes.map(({ path }) => join(root.replace(/(.)\/$/, "$1"), path)))]);
  }

  async #takeBack(turn: Turn): Promise<void> {
    if (!this.#work) return;
    const said = await inWorkspace(this.#work.where, this.#front(), (workspace) => undo(turn, workspace));
    turn.undone = true;
    await this.#tellChanged(turn);
    this.#notices.say(said.join("; ") || texts.nothingChanged);
    await this.#proceed(this.#work);
  }

  #draw(): void {
    for (const step of ["outbox", "reply"]) this.find(`[data-step=${step}]`).hidden = !this.#work || this.#work.session.isComplete;
    this.find("[data-step=begin]").hidden = this.#work !== undefined;
    this.find("[data-do=leave]").hidden = this.#work === undefined;
    this.#showPreview(false);
    this.#drawOutbox();
    this.#drawTurns();
  }

  #showPreview(shown: boolean): void {
    this.find("[data-step=preview]").hidden = !shown;
    if (shown) return;
    for (const release of this.#releases.splice(0)) release();
    this.find(".previews").replaceChildren();
  }

  #drawOutbox(): void {
    const parts = this.#work && this.#outbox ? (this.#limit.value ? splitOutbox(this.#outbox, this.#work.session, Number(this.#limit.value)) : [this.#outbox]) : [];
    this.find(".parts").replaceChildren(...parts.map((part, at) => (parts.length === 1 ? this.#copyButton(part, texts.copy, texts.copied) : this.#copyButton(part, texts.copyPart({ part: at + 1, parts: parts.length }), texts.copiedPart({ part: at + 1, parts: parts.length })))));
    this.find("summary").textContent = texts.message({ number: this.#work?.session.sequenceNumber ?? 1, characters: this.#outbox.length.toLocaleString(locale) });
    this.find("details pre").textContent = this.#outbox;
  }

  #copyButton(text: string, label: string, copied: string): HTMLElement {
    const button = make("button", label, "primary");
    button.addEventListener("click", () =>
      void this.#notices.attempt(async () => {
        await navigator.clipboard.writeText(text);
        button.className = "";
        button.textContent = `${copied} ✓`;
      }),
    );
    return button;
  }

  #drawTurns(): void {
    const turns = this.#work?.turns ?? [];
    this.find("[data-step=history]").hidden = turns.length === 0;
    const last = turns.findLast(({ undone, changes }) => !undone && changes.length > 0);
    this.find(".turns").replaceChildren(...turns.toReversed().map((turn) => turnItem(turn, turn === last ? () => void this.#notices.attempt(() => this.#takeBack(turn)) : undefined)));
  }
}
