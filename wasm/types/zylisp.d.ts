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

/** Result of an evaluation, and its output. */
export type EvalResult = {
  /** Output, up to `outputLimit`. */
  readonly output: string;
  /** Bytes of it beyond that, at least. */
  readonly omitted: number;
} & Ended;

/** A name that begins as was asked. */
export interface Completion {
  readonly candidate: string;
  /** Type, such as `function`, `special-form`, `variable`. */
  readonly type: string;
}

/** Facts about a name. */
export interface NameInfo {
  readonly name?: string;
  readonly type?: string;
  /** Usage of a function: `(car LIST)`. */
  readonly usage?: string;
  /** Documentation. */
  readonly doc?: string;
  /** File of its definition, if that was in a source with a name. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Description of a server; servers differ in its other fields. */
export interface ZylispDescription {
  readonly ops?: readonly string[];
  readonly versions?: { readonly [name: string]: string };
  readonly transports?: readonly string[];
  /** The name of this session, by which others may interrupt it. */
  readonly session?: string;
  /** Evaluator: `zylisp`, `micropython`. */
  readonly evaluator?: string;
  readonly [key: string]: Json | undefined;
}
