/** Exported runs, stored in this browser until they are deleted. */

import { ask } from "../../storage/database.ts";
import { texts } from "../../texts/tools/experiments.ts";

export interface Run {
  /** Id of the run; each export of a run has its own. */
  id: string;
  runId: string;
  board: string;
  /** Time of the export. */
  when: Date;
  /** Evidence that the log is complete. */
  integrity: string;
  size: number;
}

/** Words for the evidence that a log is complete. */
export const PROOFS: Record<string, string> = texts.proofs;

/** Returns all runs, newest first. */
export async function listRuns(): Promise<Run[]> {
  const runs = await ask<Run[]>("readonly", "runs", (store) => store.getAll());
  return runs.sort((a, b) => b.when.getTime() - a.when.getTime());
}

export async function keepRun(run: Run, log: Uint8Array): Promise<void> {
  await ask("readwrite", "logs", (store) => store.put(log, run.id));
  await ask("readwrite", "runs", (store) => store.put(run));
}

export async function logOf(run: Run): Promise<Uint8Array<ArrayBuffer>> {
  const log = await ask<Uint8Array<ArrayBuffer> | undefined>("readonly", "logs", (store) => store.get(run.id));
  if (!log) throw new Error(texts.dropped({ run: run.runId }));
  return log;
}

export async function deleteRun(run: Run): Promise<void> {
  await ask("readwrite", "runs", (store) => store.delete(run.id));
  await ask("readwrite", "logs", (store) => store.delete(run.id));
}
