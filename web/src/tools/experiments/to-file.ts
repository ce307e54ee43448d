/** Exports a log of any length directly to a local file, and sets the size limit of logs that are stored here. */

import { isFlyleadError } from "flylead/errors";
import type { Boards } from "../../boards/boards.ts";
import type { Component } from "../../ui/component.ts";
import { sizeOf } from "../../places/place.ts";
import { Transfers } from "../../places/transfers.ts";
import { keep } from "../../storage/storage.ts";
import { noticesIn } from "../notices.ts";
import { fetchLog, keptMebibytes, LIMIT } from "./device.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { decimal } from "../../texts/index.ts";
import { PROOFS } from "./runs.ts";
import { openSink } from "./sink.ts";

export function offerToFile(panel: Component, boards: Boards): void {
  const { attempt, say } = noticesIn(panel.element);
  const field = panel.find<HTMLInputElement>("[name=run]");
  const limit = panel.find<HTMLInputElement>("[name=limit]");
  const transfers = new Transfers(panel.signal);
  limit.value = String(keptMebibytes());
  panel.on(limit, "change", () => limit.validity.valid && keep(LIMIT, limit.value));
  panel.on("[data-do=toFile]", "click", () => void attempt(toFile));

  async function toFile(): Promise<void> {
    if (!field.reportValidity()) throw new Error(texts.badName);
    const [id, { session }] = [field.value, boards.current];
    const sink = await openSink(`${id}.csv`);
    if (!sink) return;
    panel.find(".fault").before(transfers.element);
    let [written, integrity] = [0, ""];
    const began = performance.now();
    try {
      const whole = await transfers.run(texts.exporting, async (report, signal) => {
        signal.addEventListener("abort", () => session.stop());
        const progress = (done: number, total: number | undefined) => report({ path: sink.name, done: (written = done), total: total ?? 0 });
        ({ integrity } = await fetchLog(session, id, progress, (bytes) => sink.write(bytes)));
      });
      if (!whole) return await sink.abort(), say(texts.cancelled);
    } catch (error) {
      await sink.abort();
      if (isFlyleadError(error) && error.name === "CancelledError") return say(texts.cancelled);
      throw error;
    } finally {
      transfers.element.remove();
    }
    await sink.close();
    const seconds = Math.max((performance.now() - began) / 1000, 0.001);
    say(texts.written({ name: sink.name, size: sizeOf(written), seconds: decimal(seconds, 1), proof: PROOFS[integrity] ?? texts.notVerified }));
  }
}
