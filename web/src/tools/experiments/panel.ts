/** The experiments panel: starts and stops recordings, fetches their logs, and views, saves and compares them. */

import { isFlyleadError } from "flylead/errors";
import { Component } from "../../ui/component.ts";
import { askWhether } from "../../ui/dialog.ts";
import type { Boards } from "../../boards/boards.ts";
import type { Chart } from "../../ui/chart/chart.ts";
import { download } from "../../places/download.ts";
import { hasFolders, pickFolder } from "../../places/folder.ts";
import { sizeOf } from "../../places/place.ts";
import type { Tool } from "../../ui/layout/tools.ts";
import { noticesIn } from "../notices.ts";
import { type Answer, fetchLog, hear, historyAt, portOf, startRecording, stopRecording } from "./device.ts";
import { historyOf } from "./history.ts";
import { Recording } from "./recording.ts";
import html from "./panel.html?raw";
import "./panel.css";
import { texts as common } from "../../texts/common.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { counted, decimal, filled } from "../../texts/index.ts";
import { bring, commonColumns, runItem, type Shown, showChart, showRows } from "./results.ts";
import { deleteRun, keepRun, listRuns, PROOFS, type Run } from "./runs.ts";
import "../../places/transfer.css";

export class ExperimentsPanel extends Component implements Tool {
  readonly #boards: Boards;
  readonly #notices = noticesIn(this.element);
  readonly #field = this.find<HTMLInputElement>("[name=run]");
  readonly #columns = this.find<HTMLSelectElement>(".compare select");
  #shown: Shown[] = [];
  #view: "chart" | "table" = "chart";
  #chart: Chart | undefined;
  #recording: Recording | undefined;

  constructor(parent: HTMLElement, boards: Boards) {
    super(parent, filled(html, texts));
    this.#boards = boards;
    this.#field.value = runIdNow();
    this.find("[data-do=save]").hidden = !hasFolders();
    this.#listen();
    void this.#notices.attempt(() => this.#drawRuns());
  }

  #listen(): void {
    const { attempt } = this.#notices;
    this.#boards.listen((board, data) => (hear(board.session, data), this.#recording?.hear(board, data)), this.signal);
    const acts = {
      start: () => this.#start(),
      stop: () => this.#stop(),
      export: () => this.#fetch(),
      cancel: async () => this.#boards.current.session.stop(),
      history: () => this.#saveHistory(),
      download: () => this.#save((shown) => this.#saveAsDownload(shown)),
      save: () => this.#save((shown) => this.#saveInFolder(shown)),
    };
    for (const [act, work] of Object.entries(acts)) this.on(`[data-do=${act}]`, "click", (event) => (event.preventDefault(), void attempt(work)));
    for (const button of this.findAll("[data-view]")) this.on(button, "click", () => ((this.#view = button.dataset.view as "chart" | "table"), this.#draw()));
    this.on(this.#columns, "change", () => this.#draw());
  }

  focus(): void {
    this.#field.focus();
  }

  override dispose(): void {
    this.#recording?.end();
    this.#chart?.close();
    super.dispose();
  }

  #runId(): string {
    if (!this.#field.reportValidity()) throw new Error(texts.badName);
    return this.#field.value;
  }

  async #start(): Promise<void> {
    const [board, id] = [this.#boards.current, this.#runId()];
    this.#notices.say("");
    this.#check("START", await startRecording(board.session, id));
    this.#recording?.end();
    this.#recording = new Recording(board, id, { element: this.find(".recording"), failed: this.#notices.showError });
    this.#propose("stop");
  }

  async #stop(): Promise<void> {
    this.#check("STOP", await stopRecording(this.#boards.current.session));
    this.#recording?.end();
    this.#notices.say(texts.stopped);
    this.#propose("export");
  }

  /** Marks the step that comes next; Enter does it, too. */
  #propose(next: "start" | "stop" | "export"): void {
    for (const button of this.findAll(".command button") as Iterable<HTMLButtonElement>) {
      const isNext = button.dataset.do === next;
      button.classList.toggle("primary", isNext);
      button.type = isNext ? "submit" : "button";
    }
  }

  /** Reports any answer of the device but "OK" as a fault, with the remedy. */
  #check(command: string, answer: Answer): void {
    if (answer.kind === "refused") throw new Error(texts.refused({ command, words: answer.words }));
    if (answer.kind === "silence") throw new Error(texts.silence({ sign: common.signOfSilence, command }));
  }

  async #fetch(): Promise<void> {
    const { session } = this.#boards.current;
    const [id, began] = [this.#runId(), performance.now()];
    try {
      const log = await fetchLog(session, id, (done, total) => this.#drawProgress(id, done, total, began));
      const seconds = (performance.now() - began) / 1000;
      this.#notices.say(texts.done({ size: sizeOf(log.bytes.length), seconds: decimal(seconds, 1), rate: sizeOf(Math.round(log.bytes.length / seconds)) }));
      const run = { id: crypto.randomUUID(), runId: id, board: session.boardName, when: new Date(), integrity: log.integrity, size: log.bytes.length };
      await keepRun(run, log.bytes);
      this.#field.value = nextRunId(id);
      this.#propose("start");
      await this.#choose(run, false);
    } catch (error) {
      if (!isFlyleadError(error) || error.name !== "CancelledError") throw error;
      this.#notices.say(texts.cancelled);
    } finally {
      this.find(".transfer").hidden = true;
    }
  }

  #drawProgress(id: string, done: number, total: number | undefined, began: number): void {
    this.find(".transfer").hidden = false;
    this.find(".what").textContent = `${id}: ${total === undefined ? sizeOf(done) : texts.of({ done: sizeOf(done), total: sizeOf(total) })}`;
    const bar = this.find<HTMLProgressElement>("progress");
    if (total === undefined) bar.removeAttribute("value");
    else [bar.max, bar.value] = [Math.max(total, 1), done];
    const seconds = (performance.now() - began) / 1000;
    this.find(".rate").textContent = `${sizeOf(Math.round(done / Math.max(seconds, 0.001)))}/s`;
  }

  async #choose(run: Run, more: boolean): Promise<void> {
    const isShown = this.#shown.some((one) => one.run.id === run.id);
    const brought = more && isShown ? [] : [await bring(run)];
    // Another run may have been selected meanwhile.
    this.#shown = [...(more ? this.#shown.filter((one) => one.run.id !== run.id) : []), ...brought];
    this.#columns.replaceChildren(...commonColumns(this.#shown).map((name) => new Option(name)));
    await this.#drawRuns();
    this.#draw();
  }

  async #drawRuns(): Promise<void> {
    const runs = await listRuns();
    this.find(".runs .hint").hidden = runs.length > 0;
    this.find(".runs ul").replaceChildren(
      ...runs.map((run) =>
        runItem(run, this.#shown.some((one) => one.run.id === run.id), {
          choose: (more) => void this.#notices.attempt(() => this.#choose(run, more)),
          remove: () => void this.#notices.attempt(() => this.#remove(run)),
        }),
      ),
    );
  }

  async #remove(run: Run): Promise<void> {
    if (!(await askWhether(texts.deleteAsked({ run: run.runId }), texts.deleteExplained, texts.deleteAction))) return;
    await deleteRun(run);
    this.#shown = this.#shown.filter((one) => one.run.id !== run.id);
    await this.#drawRuns();
    this.#draw();
  }

  #draw(): void {
    const several = this.#shown.length > 1;
    this.find(".result").hidden = this.#shown.length === 0;
    this.find(".compare").hidden = !several;
    this.find(".segment").hidden = several;
    for (const act of ["download", "save"]) this.find(`[data-do=${act}]`).hidden = several || (act === "save" && !hasFolders());
    for (const button of this.findAll("[data-view]")) button.ariaPressed = String(button.dataset.view === this.#view);
    this.find(".result h3").textContent = this.#shown.map(({ run }) => run.runId).join(", ");
    this.find(".proof").textContent = several ? "" : this.#shown.map(describe).join("");
    this.#chart?.close();
    this.#chart = undefined;
    this.find(".view").replaceChildren();
    const [first] = this.#shown;
    if (!first) return;
    if (this.#view === "table" && !several) showRows(this.find(".view"), first);
    else this.#chart = showChart(this.find(".view"), this.#shown, this.#columns.value);
  }

  async #save(how: (shown: Shown) => Promise<void>): Promise<void> {
    if (this.#shown[0]) await how(this.#shown[0]);
  }

  async #saveAsDownload({ run, bytes }: Shown): Promise<void> {
    download(`${run.runId}.csv`, bytes);
  }

  async #saveHistory(): Promise<void> {
    const port = portOf(this.#boards.current.session);
    await historyAt(port).flush();
    const history = await historyOf(port);
    if (!history) throw new Error(texts.noHistory);
    download("history.txt", new TextEncoder().encode(history));
  }

  async #saveInFolder({ run, bytes }: Shown): Promise<void> {
    const folder = await pickFolder();
    if (!folder) return;
    const path = `/artifacts/${run.runId}/sd/log.csv`;
    const old = await folder.peek(path);
    if (old && !(await askWhether(texts.replaceAsked, texts.replaceExplained({ path, folder: folder.name }), texts.replace))) return;
    await folder.write(path, bytes);
    this.#notices.say(texts.savedAs({ path: folder.name + path }));
  }
}

function describe({ run, log }: Shown): string {
  return `${counted(texts.rows, log.rows)}, ${sizeOf(run.size)}, ${PROOFS[run.integrity] ?? run.integrity}`;
}

/** Returns the name with its last number incremented: `run002` after `run001`. */
function nextRunId(id: string): string {
  return id.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1).padStart(digits.length, "0"));
}

/** Returns a run's id, such as `20260115_2112_run001`. */
function runIdNow(): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const now = new Date();
  return `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}_${two(now.getHours())}${two(now.getMinutes())}_run001`;
}
