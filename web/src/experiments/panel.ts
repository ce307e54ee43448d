/** The experiments: start and stop a recording, fetch its log, look at it, keep it, compare it. */

import { isFlyleadError } from "flylead";
import { askWhether } from "../dialog.ts";
import type { Boards } from "../boards.ts";
import type { Chart } from "../chart/chart.ts";
import { download } from "../files/download.ts";
import { hasFolders, pickFolder } from "../files/folder.ts";
import { sizeOf } from "../files/place.ts";
import type { Tool } from "../tools.ts";
import { noticesIn } from "../tools/notices.ts";
import { type Answer, fetchLog, startRecording, stopRecording } from "./device.ts";
import { Recording } from "./recording.ts";
import html from "./panel.html?raw";
import "./panel.css";
import { texts as common } from "../texts/common.ts";
import { texts } from "../texts/experiments.ts";
import { counted, decimal, filled } from "../texts/index.ts";
import { bring, commonColumns, runItem, type Shown, showChart, showRows } from "./results.ts";
import { deleteRun, keepRun, listRuns, type Run } from "./runs.ts";
import "../transfer.css";

export function openExperiments(parent: HTMLElement, boards: Boards): Tool {
  parent.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => parent.querySelector<T>(selector)!;
  const { attempt, say, showError } = noticesIn(parent);
  const field = find<HTMLInputElement>("[name=run]");
  const columns = find<HTMLSelectElement>(".compare select");
  let shown: Shown[] = [];
  let view: "chart" | "table" = "chart";
  let chart: Chart | undefined;
  let recording: Recording | undefined;
  boards.listen((board, data) => recording?.hear(board, data));
  field.value = runIdNow();
  for (const [act, work] of Object.entries({ start, stop, cancel: async () => boards.current.session.stop(), download: async () => save(saveAsDownload), save: async () => save(saveInFolder) })) {
    find(`[data-do=${act}]`).addEventListener("click", () => void attempt(work));
  }
  find<HTMLFormElement>("form").addEventListener("submit", (event) => (event.preventDefault(), void attempt(fetch)));
  for (const button of parent.querySelectorAll<HTMLElement>("[data-view]")) {
    button.addEventListener("click", () => ((view = button.dataset.view as typeof view), draw()));
  }
  columns.addEventListener("change", draw);
  find("[data-do=save]").hidden = !hasFolders();
  void attempt(drawRuns);

  function runId(): string {
    if (!field.reportValidity()) throw new Error(texts.badName);
    return field.value;
  }

  async function start(): Promise<void> {
    const [board, id] = [boards.current, runId()];
    say("");
    check("START", await startRecording(board.session, id));
    recording?.end();
    recording = new Recording(board, id, { element: find(".recording"), failed: showError });
  }

  async function stop(): Promise<void> {
    check("STOP", await stopRecording(boards.current.session));
    recording?.end();
    say(texts.stopped);
  }

  /** Whatever is no "OK" of the device is a fault, with what to do. */
  function check(command: string, answer: Answer): void {
    if (answer.kind === "refused") throw new Error(texts.refused(command, answer.words));
    if (answer.kind === "silence") throw new Error(texts.silence(common.signOfSilence, command));
  }

  async function fetch(): Promise<void> {
    const { session } = boards.current;
    const [id, began] = [runId(), performance.now()];
    try {
      const log = await fetchLog(session, id, (done, total) => drawProgress(id, done, total, began));
      const seconds = (performance.now() - began) / 1000;
      say(texts.done(sizeOf(log.bytes.length), decimal(seconds, 1), sizeOf(Math.round(log.bytes.length / seconds))));
      const run = { id: crypto.randomUUID(), runId: id, board: session.boardName, when: new Date(), integrity: log.integrity, size: log.bytes.length };
      await keepRun(run, log.bytes);
      field.value = nextRunId(id);
      await choose(run, false);
    } catch (error) {
      if (!isFlyleadError(error) || error.name !== "CancelledError") throw error;
      say(texts.cancelled);
    } finally {
      find(".transfer").hidden = true;
    }
  }

  function drawProgress(id: string, done: number, total: number | undefined, began: number): void {
    find(".transfer").hidden = false;
    find(".what").textContent = `${id}: ${total === undefined ? sizeOf(done) : texts.of(sizeOf(done), sizeOf(total))}`;
    const bar = find<HTMLProgressElement>("progress");
    if (total === undefined) bar.removeAttribute("value");
    else [bar.max, bar.value] = [Math.max(total, 1), done];
    const seconds = (performance.now() - began) / 1000;
    find(".rate").textContent = `${sizeOf(Math.round(done / Math.max(seconds, 0.001)))}/s`;
  }

  async function choose(run: Run, more: boolean): Promise<void> {
    const isShown = shown.some((one) => one.run.id === run.id);
    const brought = more && isShown ? [] : [await bring(run)];
    // Another one may have been chosen meanwhile.
    shown = [...(more ? shown.filter((one) => one.run.id !== run.id) : []), ...brought];
    columns.replaceChildren(...commonColumns(shown).map((name) => new Option(name)));
    await drawRuns();
    draw();
  }

  async function drawRuns(): Promise<void> {
    const runs = await listRuns();
    find(".runs .hint").hidden = runs.length > 0;
    find(".runs ul").replaceChildren(
      ...runs.map((run) =>
        runItem(run, shown.some((one) => one.run.id === run.id), {
          choose: (more) => void attempt(() => choose(run, more)),
          remove: () => void attempt(() => remove(run)),
        }),
      ),
    );
  }

  async function remove(run: Run): Promise<void> {
    if (!(await askWhether(texts.deleteAsked(run.runId), texts.deleteExplained, texts.deleteAction))) return;
    await deleteRun(run);
    shown = shown.filter((one) => one.run.id !== run.id);
    await drawRuns();
    draw();
  }

  function draw(): void {
    const several = shown.length > 1;
    find(".result").hidden = shown.length === 0;
    find(".compare").hidden = !several;
    find(".segment").hidden = several;
    for (const act of ["download", "save"]) find(`[data-do=${act}]`).hidden = several || (act === "save" && !hasFolders());
    for (const button of parent.querySelectorAll<HTMLElement>("[data-view]")) button.ariaPressed = String(button.dataset.view === view);
    find(".result h3").textContent = shown.map(({ run }) => run.runId).join(", ");
    find(".proof").textContent = several ? "" : shown.map(describe).join("");
    chart?.close();
    chart = undefined;
    find(".view").replaceChildren();
    const [first] = shown;
    if (!first) return;
    if (view === "table" && !several) showRows(find(".view"), first);
    else chart = showChart(find(".view"), shown, columns.value);
  }

  async function save(how: (shown: Shown) => Promise<void>): Promise<void> {
    if (shown[0]) await how(shown[0]);
  }

  async function saveAsDownload({ run, bytes }: Shown): Promise<void> {
    download(`${run.runId}.csv`, bytes);
  }

  async function saveInFolder({ run, bytes }: Shown): Promise<void> {
    const folder = await pickFolder();
    if (!folder) return;
    const path = `/artifacts/${run.runId}/sd/log.csv`;
    const old = await folder.peek(path);
    if (old && !(await askWhether(texts.replaceAsked, texts.replaceExplained(path, folder.name), texts.replace))) return;
    await folder.write(path, bytes);
    say(texts.savedAs(folder.name + path));
  }

  return { focus: () => field.focus() };
}

function describe({ run, log }: Shown): string {
  return `${counted(texts.rows, log.rows)}, ${sizeOf(run.size)}, ${texts.proofs[run.integrity] ?? run.integrity}`;
}

/** The name with its last number counted up: `run002` after `run001`. */
function nextRunId(id: string): string {
  return id.replace(/\d+(?=\D*$)/, (digits) => String(Number(digits) + 1).padStart(digits.length, "0"));
}

/** Such as `20260115_2112_run001`. */
function runIdNow(): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const now = new Date();
  return `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}_${two(now.getHours())}${two(now.getMinutes())}_run001`;
}
