/// <reference lib="esnext.disposable" />

/** `flylead/debug`: programs on MicroPython boards, stopped and looked at. */

import type { DebugEnd, DebugEvent } from "../pkg/debug/flylead_wasm.js";
import type { Task, WasmSource } from "./index.js";

export {
  Debugger,
  type DebugBreakpoint,
  type DebugBreakpointStatus,
  type DebugContainer,
  type DebugEnd,
  type DebugErrorCode,
  type DebugEvent,
  type DebugExceptions,
  type DebugFrame,
  type DebugPart,
  type DebugReason,
  type DebuggerOptions,
  type DebugStep,
  type DebugValue,
  type DebugVariable,
} from "../pkg/debug/flylead_wasm.js";
export { isFlyleadError, type DebugError, type Link, type LostError, type SourceError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/** A program that is debugged. Await it for its end; iterate it for what happens until then; `cancel()` ends it. */
export type Debugging = Task<DebugEnd, DebugEvent>;
