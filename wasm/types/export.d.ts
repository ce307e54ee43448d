/// <reference lib="esnext.disposable" />

/** `flylead/export`: experiments, whose logs are collected from a device that records. */

import type { ExportedLog, ExportEvent } from "../pkg/export/flylead_wasm.js";
import type { Task, WasmSource } from "./index.js";

export {
  Recorder,
  type ExportDoubt,
  type ExportedLog,
  type ExportErrorCode,
  type ExportEvent,
  type ExportHint,
  type ExportPhase,
  type ExportWarning,
  type Integrity,
  type RecorderOptions,
  type UnansweredRequest,
} from "../pkg/export/flylead_wasm.js";
export { isFlyleadError, type Link, type LostError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/**
 * A log on its way. Await it for the log; iterate it for what happens until then.
 *
 * ```ts
 * const fetch = recorder.fetch("run001");
 * for await (const event of fetch) {
 *   if (event.kind === "body") received += event.bytes.length;
 * }
 * const { bytes } = await fetch;
 * ```
 */
export type Fetch = Task<ExportedLog, ExportEvent>;
