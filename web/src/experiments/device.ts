/** What a device that records is asked to do, over the link of the board in front. */

import { init, Recorder } from "flylead/export";
import type { Session } from "../session.ts";

/** A log that came whole. */
export interface Exported {
  bytes: Uint8Array<ArrayBuffer>;
  integrity: string;
  warnings: readonly string[];
}

export function startRecording(session: Session, runId: string): Promise<void> {
  return session.lend("Starting a run", (link) => converse(link, (recorder) => recorder.start(runId)));
}

export function stopRecording(session: Session): Promise<void> {
  return session.lend("Stopping a run", (link) => converse(link, (recorder) => recorder.stop()));
}

/** Fetches the log of a run; what the device says besides goes to its terminal. */
export function fetchLog(session: Session, runId: string, progress: (done: number, total: number | undefined) => void): Promise<Exported> {
  return session.lend(`Exporting ${runId}`, (link, signal) =>
    converse(link, async (recorder) => {
      const fetch = recorder.fetch(runId);
      signal.addEventListener("abort", () => fetch.cancel());
      let [done, total]: [number, number | undefined] = [0, undefined];
      for await (const event of fetch) {
        if (event.kind === "chatter") await session.hear(event.bytes);
        if (event.kind === "begun") total = event.total;
        if (event.kind === "body") done += event.bytes.length;
        if (event.kind === "begun" || event.kind === "body") progress(done, total);
      }
      return fetch.done;
    }),
  );
}

async function converse<T>(link: Parameters<typeof Recorder.attach>[0], work: (recorder: Recorder) => T | Promise<T>): Promise<T> {
  await init();
  const recorder = Recorder.attach(link);
  try {
    return await work(recorder);
  } finally {
    await recorder.close();
  }
}
