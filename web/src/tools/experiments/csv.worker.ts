/** Parses logs in a worker, so that the page stays responsive. */

import { readLog } from "./csv.ts";

self.addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  const log = readLog(data);
  (self as unknown as Worker).postMessage(log, log.columns.map(({ buffer }) => buffer));
});
