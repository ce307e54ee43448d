/** Reads logs beside the page, so that it stays awake. */

import { readLog } from "./csv.ts";

self.addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  const log = readLog(data);
  (self as unknown as Worker).postMessage(log, log.columns.map(({ buffer }) => buffer));
});
