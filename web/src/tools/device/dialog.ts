/** Dialog about the board in front, and operations on all of it: restart it, set its clock, back up its files. */

import type { Board } from "../../boards/boards.ts";
import { askWhether, showDialog } from "../../ui/dialog.ts";
import { make } from "../../ui/dom.ts";
import { download } from "../../places/download.ts";
import { Transfers } from "../../places/transfers.ts";
import { texts } from "../../texts/tools/device.ts";
import { counted, filled } from "../../texts/index.ts";
import { noticesIn } from "../notices.ts";
import { backUp, filesIn, putBack } from "./backup.ts";
import html from "./dialog.html?raw";
import "../../ui/style/facts.css";
import "./dialog.css";
import { askClock, askFacts, type Facts } from "./facts.ts";
import { restart } from "./restart.ts";

/** `changed` receives the paths of written files. */
export function openDevice({ session, place }: Board, changed: (paths: readonly string[]) => void): void {
  const content = make("div", "", "content");
  content.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => content.querySelector<T>(selector)!;
  const { attempt, say } = noticesIn(content);
  const transfers = new Transfers();
  const field = find<HTMLInputElement>("input");
  content.append(transfers.element);
  const acts: Record<string, () => Promise<void>> = {
    soft: async () => (close(), session.reset()),
    hard: () => restartBy(texts.restarting, "reset", texts.wasReset),
    bootloader: () => restartBy(texts.toBootloader, "bootloader", texts.inBootloader),
    clock: setClock,
    backUp: makeBackup,
    putBack: async () => field.click(),
  };
  for (const button of content.querySelectorAll<HTMLElement>("[data-do]")) {
    button.addEventListener("click", () => void attempt(acts[button.dataset.do!]!));
  }
  field.addEventListener("change", () => void attempt(restore).finally(() => (field.value = "")));
  void showDialog(session.boardName, content, "listing device");
  void attempt(ask).finally(() => find(".asking").remove());

  async function ask(): Promise<void> {
    draw(await session.use(texts.askingWhat, askFacts));
  }

  function draw({ said, can }: Facts): void {
    find(".facts").replaceChildren(...said.flatMap(([name, text]) => [make("dt", name), make("dd", text)]));
    for (const part of content.querySelectorAll<HTMLElement>("[data-do=hard], [data-of=hard]")) part.hidden = !can.has("reset");
    find("[data-do=bootloader]").hidden = !can.has("bootloader");
    find(".clock").hidden = !can.has("RTC");
  }

  async function restartBy(doing: string, what: "reset" | "bootloader", done: string): Promise<void> {
    await restart(session, doing, `import machine\nmachine.${what}()`);
    say(done);
  }

  async function setClock(): Promise<void> {
    const time = await session.use(texts.settingClock, async (board) => {
      await board.exec(clockProgram(new Date()));
      return askClock(board);
    });
    say(texts.clockSet({ time: time ?? "" }));
    for (const name of content.querySelectorAll(".facts dt")) if (name.textContent === texts.clock) name.nextElementSibling!.textContent = time ?? "";
  }

  async function makeBackup(): Promise<void> {
    const whole = await transfers.run(texts.reading, async (report, signal) => {
      const { files, zip } = await backUp(place, report, signal);
      download(`${fileNameOf(session.boardName)}-${new Date().toISOString().slice(0, 10)}.zip`, zip);
      say(counted(texts.backedUp, files));
    });
    if (!whole) say(texts.notBackedUp);
  }

  async function restore(): Promise<void> {
    const chosen = field.files?.[0];
    if (!chosen) return;
    const files = await filesIn(new Uint8Array(await chosen.arrayBuffer()));
    const paths = Object.keys(files);
    const what = counted(texts.fileCount, paths.length);
    if (!(await askWhether(texts.putBackAsked, texts.putBackExplained({ name: chosen.name, files: what, board: session.boardName }), texts.putBackAction))) return;
    const whole = await transfers.run(texts.writing, (report, signal) => putBack(place, files, report, signal));
    say(whole ? texts.isPutBack({ files: what }) : texts.stopped);
    changed(paths.map((path) => `/${path}`));
  }

  function close(): void {
    content.closest("dialog")?.close();
  }
}

/**
 * Returns the program that sets the clock as mpremote does (MicroPython 1.27,
 * tools/mpremote/mpremote/commands.py, do_rtc): Monday is 0.
 */
function clockProgram(now: Date): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate(), (now.getDay() + 6) % 7, now.getHours(), now.getMinutes(), now.getSeconds(), 0];
  return `__import__('machine').RTC().datetime((${parts.join(", ")}))`;
}

function fileNameOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "board";
}
