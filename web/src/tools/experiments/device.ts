/** Requests to a recording device, over the link of the board in front. */

import { init, Recorder, type RecorderOptions } from "flylead/export";
import { isFlyleadError } from "flylead/errors";
import { Lines } from "../../run/plot/numbers.ts";
import { beginRecording, endRecording, keepRequests, noteRequest, unansweredAt } from "../../boards/port-state.ts";
import type { Session } from "../../boards/session.ts";
import { programOn } from "../../run/program.ts";
import { recall } from "../../storage/storage.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { History } from "./history.ts";
import { lend } from "./loan.ts";

/** Complete log. */
export interface Exported {
  bytes: Uint8Array<ArrayBuffer>;
  integrity: string;
  warnings: readonly string[];
}

/** Response of a device to `START` or `STOP`: its own words, or silence. */
export type Answer = { kind: "done" | "refused"; words: string } | { kind: "silence" };

export async function startRecording(session: Session, runId: string): Promise<Answer> {
  const answer = await lend(session, texts.starting, (link, signal) =>
    converse(session, link, {}, (recorder, history) => {
      recorder.start(runId);
      history.sent(`START run_id=${runId}`);
      return answerOf(recorder, session, signal);
    }),
  );
  // A program that this page runs is not interrupted unasked.
  if (answer.kind === "done" && !programOn(session)) beginRecording(portOf(session), runId);
  return answer;
}

export async function stopRecording(session: Session): Promise<Answer> {
  const answer = await lend(session, texts.stopping, (link, signal) =>
    converse(session, link, {}, (recorder, history) => {
      recorder.stop();
      history.sent("STOP");
      return answerOf(recorder, session, signal);
    }),
  );
  if (answer.kind !== "silence") endRecording(portOf(session));
  return answer;
}

/** Returns the id of the session's port, under which its state is stored. */
export function portOf(session: Session): string {
  return session.transport?.id ?? "";
}

/** Waits for the device's response, and shows all of its output until then. */
async function answerOf(recorder: Recorder, session: Session, signal: AbortSignal): Promise<Answer> {
  const reader = recorder.chatter.getReader();
  const [lines, decoder] = [new Lines(), new TextDecoder()];
  const end = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  const over = new Promise<undefined>((resolve) => end.addEventListener("abort", () => resolve(undefined)));
  try {
    for (;;) {
      const part = await Promise.race([reader.read(), over]);
      if (!part?.value) return { kind: "silence" };
      await session.screen.write(part.value);
      for (const line of lines.push(decoder.decode(part.value, { stream: true }))) {
        const answer = answerIn(line.trim());
        if (answer) return answer;
      }
    }
  } finally {
    reader.releaseLock();
  }
}

/** Parses a response like `flylead export` (`core/src/export/reply/line.rs`). */
function answerIn(line: string): Answer | undefined {
  if (/^(OK|DONE)\b/.test(line)) return { kind: "done", words: line };
  return isRefusal(line) ? { kind: "refused", words: line } : undefined;
}

export function isRefusal(line: string): boolean {
  return /^ERR(OR)?(:|\s|$)/.test(line);
}

/**
 * Fetches the log of a run; the device's other output goes to its terminal. With `write`, the log is passed on as it
 * arrives, at any length, and `bytes` are empty at the end.
 */
export async function fetchLog(session: Session, runId: string, progress: (done: number, total: number | undefined) => void, write?: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>): Promise<Exported> {
  const sizeLimit = write ? Number.MAX_SAFE_INTEGER : keptMebibytes() * MIB;
  return lend(session, texts.exportingRun({ run: runId }), (link, signal) =>
    converse(session, link, { sizeLimit, keepLog: !write }, async (recorder, history) => {
      const port = portOf(session);
      noteRequest(port, runId);
      history.sent(`EXPORT run_id=${runId}`);
      const fetch = recorder.fetch(runId);
      signal.addEventListener("abort", () => fetch.cancel());
      let [done, total]: [number, number | undefined] = [0, undefined];
      for await (const event of fetch) {
        if (event.kind === "chatter") await session.screen.write(event.bytes);
        if (event.kind === "begun") total = event.total;
        if (event.kind === "body") done += event.bytes.length;
        if (event.kind === "body") await write?.(event.bytes);
        if (event.kind !== "chatter") progress(done, total);
      }
      const log = await fetch.done;
      history.note(`the log of ${runId} is whole: ${done} bytes, ${log.integrity}`);
      // A device sends no log while it records.
      endRecording(port);
      return log;
    }),
  ).catch((error: unknown) => {
    if (write || !isFlyleadError(error) || error.name !== "ExportError" || error.code !== "too_large") throw error;
    throw new Error(texts.tooLarge({ run: runId, mebibytes: keptMebibytes() }));
  });
}

/** Returns the maximum size of a log that the page keeps for viewing, in MiB. */
export function keptMebibytes(): number {
  return Number(recall(LIMIT)) || DEFAULT_MEBIBYTES;
}

/** Continues the conversation over the session's port, which knows the requests that are unanswered. */
async function converse<T>(session: Session, link: Parameters<typeof Recorder.attach>[0], options: RecorderOptions, work: (recorder: Recorder, history: History) => T | Promise<T>): Promise<T> {
  await init();
  const port = portOf(session);
  const recorder = Recorder.attach(link, { ...options, unanswered: unansweredAt(port) });
  const history = historyAt(port);
  try {
    return await work(recorder, history);
  } catch (error) {
    history.note(messageOf(error));
    throw error;
  } finally {
    keepRequests(port, recorder.unanswered);
    await recorder.close();
  }
}

/** Returns the history of a port whose device was asked something. */
export function historyAt(port: string): History {
  const history = histories.get(port) ?? new History(port);
  histories.set(port, history);
  return history;
}

/** Records the output of a board's device, if the device was asked something. */
export function hear(session: Session, data: Uint8Array | string): void {
  histories.get(portOf(session))?.received(data);
}

const histories = new Map<string, History>();

/** Name under which the browser stores the limit. */
export const LIMIT = "export-limit";
const DEFAULT_MEBIBYTES = 64;
const MIB = 1 << 20;
/** Time limit of a device's response; `flylead export` allows a second, but a page shares its time with others. */
const ANSWER_MS = 5000;
