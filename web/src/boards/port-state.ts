/**
 * State of a port that outlives reloads, restarts of the device, and unplugging: requests that the device has not
 * answered, and the run that it records. All tabs share it.
 */

import type { UnansweredRequest } from "flylead/export";
import { askWhether } from "../ui/dialog.ts";
import { forget, keep, recall, recallJson } from "../storage/storage.ts";
import { texts } from "../texts/tools/experiments.ts";
import { recordingAt } from "./recording.ts";

/** Request for a log whose answer has not begun. */
interface Asked {
  runId: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Returns the requests to a port whose answer may still arrive, oldest first, as a new conversation expects them. */
export function unansweredAt(port: string): UnansweredRequest[] {
  return requestsTo(port).map(({ runId, at }) => ({ runId, age: Math.max(Date.now() - at, 0) }));
}

/** Records a request before it is sent, as the page may be closed at any time. */
export function noteRequest(port: string, runId: string): void {
  store(port, [...requestsTo(port), { runId, at: Date.now() }]);
}

/** Removes all requests except these. */
export function keepRequests(port: string, unanswered: readonly string[]): void {
  const left = [...unanswered];
  const kept = requestsTo(port).filter(({ runId }) => {
    const at = left.indexOf(runId);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  store(port, kept);
}

function requestsTo(port: string): Asked[] {
  const oldest = Date.now() - OLDEST_MS;
  return (recallJson(UNANSWERED + port, areRequests) ?? []).filter(({ at }) => at > oldest).slice(-MOST);
}

function store(port: string, requests: readonly Asked[]): void {
  if (requests.length === 0) forget(UNANSWERED + port);
  else keep(UNANSWERED + port, JSON.stringify(requests));
}

function areRequests(value: unknown): value is Asked[] {
  return Array.isArray(value) && value.every((one: Partial<Asked> | null) => typeof one?.runId === "string" && typeof one.at === "number");
}

/** Records that the device at a port records this run: what the page asks a board would end it. */
export function beginRecording(port: string, runId: string): void {
  keep(recordingAt(port), runId);
}

export function endRecording(port: string): void {
  forget(recordingAt(port));
}

/** Asks the person whether the recording at a port may end; rejects if not. */
export async function askToEndRecording(port: string): Promise<void> {
  const run = recall(recordingAt(port)) ?? "";
  if (!(await askWhether(texts.endAsked({ run }), texts.endExplained, texts.endAction))) throw new Error(texts.goesOn({ run }));
  endRecording(port);
}

/** Forgets the state of a port whose device starts again. */
export function forgetPort(port: string): void {
  forget(UNANSWERED + port);
  endRecording(port);
}

const UNANSWERED = "unanswered.";
/** Age in milliseconds at which an answer is no longer expected, that of `Config::late_limit` in the core. */
const OLDEST_MS = 600_000;
/** Limit of requests, more than are ever asked while an answer may still arrive. */
const MOST = 64;
