/// <reference lib="esnext.disposable" />

/** `flylead/zylisp`: Zylisp REPLs behind WebSockets or other links. One that runs here: `flylead/zylisp-server`. */

import type { Ended } from "../pkg/zylisp/flylead_wasm.js";
import type { Task, WasmSource } from "./index.js";

export { isUnfinished, Zylisp, type Codec, type TraceEntry, type ZylispAttachOptions, type ZylispConnectOptions, type ZylispEvalOptions } from "../pkg/zylisp/flylead_wasm.js";
export { isFlyleadError, type LostError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/**
 * A source that is evaluated. Await it for its result; iterate it for its output while it comes: a server that cannot
 * stream sends all of it at the end.
 *
 * ```ts
 * const evaluation = zylisp.eval('(println "hello") (+ 1 2)');
 * for await (const text of evaluation) terminal.write(text);
 * const result = await evaluation;
 * ```
 */
export type Evaluation = Task<EvalResult, string>;

/** How an evaluation ended, and what it printed. */
export type EvalResult = {
  /** What it printed, up to `outputLimit`. */
  readonly output: string;
  /** Bytes of it beyond that, at least. */
  readonly omitted: number;
} & Ended;

/** A name that begins as was asked. */
export interface Completion {
  readonly candidate: string;
  /** Such as `function`, `special-form`, `variable`. */
  readonly type: string;
}

/** What a server knows of a name. */
export interface NameInfo {
  readonly name?: string;
  readonly type?: string;
  /** How a function is called: `(car LIST)`. */
  readonly usage?: string;
  /** What it does. */
  readonly doc?: string;
  /** Where it was defined, if that was in a source with a name. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a server tells of itself; servers differ in what else they tell. */
export interface ZylispDescription {
  readonly ops?: readonly string[];
  readonly versions?: { readonly [name: string]: string };
  readonly transports?: readonly string[];
  /** The name of this session, by which others may interrupt it. */
  readonly session?: string;
  /** What evaluates: `zylisp`, `micropython`. */
  readonly evaluator?: string;
  readonly [key: string]: Json | undefined;
}
