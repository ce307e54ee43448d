/// <reference lib="esnext.disposable" />

/** `flylead/zylisp`: remote Zylisp REPLs over WebSockets, and one that runs here. */

import type { LostError, WasmSource } from "./index.js";

export { isFlyleadError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

export interface ZylispOptions {
  /** Bytes of an evaluation's output that are kept, for its result and unread for its iterator. Default 1 MiB. */
  outputLimit?: number;
}

export interface ZylispLocalOptions extends ZylispOptions {
  /** Past it, an evaluation ends with an error of type `limit-error`. Default: none. */
  evalTimeout?: number;
}

export interface ZylispConnectOptions extends ZylispOptions {
  /** How messages are written; as the server does. Default `"json"`. */
  codec?: "json" | "msgpack";
  /** The server's token, if it wants one. */
  token?: string;
  /** How long connecting may take. Default 10 000 ms. */
  timeout?: number;
}

/**
 * A session of a Zylisp REPL: what it defines stays as long as it lives, and nobody else sees it. The server is behind
 * a WebSocket (`flylead zylisp serve ws://…`), and may evaluate Zylisp or the Python of a board; or it runs in the page
 * itself, in slices of a few milliseconds, so that a loop without end neither freezes the page nor escapes
 * {@link interrupt}.
 *
 * ```ts
 * const zylisp = Zylisp.local();
 * const result = await zylisp.eval("(+ 1 2)");
 * if (result.kind === "value") console.log(result.value); // 3
 * ```
 */
export class Zylisp {
  private constructor();

  /**
   * Connects to a server. Rejects with {@link LinkError} (nobody there, or the server does not know this page's
   * origin), {@link TimeoutError}, {@link RefusedError} (the token), {@link UnsupportedError} (no `WebSocket` here).
   */
  static connect(url: string | URL, options?: ZylispConnectOptions): Promise<Zylisp>;

  /** Starts a server and the language in the page, for this session alone. */
  static local(options?: ZylispLocalOptions): Zylisp;

  /**
   * Evaluates all forms of a source. Several may be under way: they take turns in the order they were asked for.
   * Rejects with {@link RefusedError}, {@link LostError}, {@link ClosedError}; an error of the program is no rejection
   * but a result.
   */
  eval(code: string): Evaluation;

  /** Evaluates a file that lies on the server's side, below one of its folders. Like {@link eval}. */
  load(path: string): Evaluation;

  /** What the server is and can do. */
  describe(): Promise<ZylispDescription>;

  /**
   * Interrupts what runs here, or, with the name that the other session's {@link describe} tells, what runs there.
   * Resolves to whether there was anything.
   */
  interrupt(session?: string): Promise<boolean>;

  /** Resolves when the session is over: with the reason if the connection was lost, without after `close()`. */
  readonly lost: Promise<LostError | undefined>;

  /** Ends the session; what still runs is stopped, what is under way rejects with {@link ClosedError}. */
  close(): Promise<void>;

  /** `close()` without waiting. */
  free(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Whether a source of Zylisp can still become whole by typing on: a list or a string is open at its end. */
export function isUnfinished(source: string): boolean;

/**
 * A source that is evaluated. Await it for its result; iterate it for its output while it comes.
 *
 * ```ts
 * const evaluation = zylisp.eval('(println "hello") (+ 1 2)');
 * for await (const text of evaluation) terminal.write(text);
 * const result = await evaluation;
 * ```
 */
export class Evaluation implements AsyncIterable<string>, PromiseLike<EvalResult> {
  private constructor();

  /** How it ended. Once somebody iterates, nobody has to look at its failure. */
  readonly done: Promise<EvalResult>;

  /** Bytes of output that were dropped, oldest first, because nobody iterated and `outputLimit` was reached. */
  readonly dropped: number;

  /** Ends it as soon as the server can, also while it waits for its turn: its result is `"interrupted"`. */
  interrupt(): void;

  /** The same as `done.then`, so that the evaluation can be awaited. */
  then<A = EvalResult, B = never>(
    onfulfilled?: ((result: EvalResult) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;

  /** Its output as it comes. A server that cannot stream sends all of it at the end. */
  [Symbol.asyncIterator](): AsyncIterableIterator<string>;

  free(): void;
  [Symbol.dispose](): void;
}

/** How an evaluation ended, and what it printed. */
export type EvalResult = {
  /** What it printed, up to `outputLimit`. */
  readonly output: string;
  /** Bytes of it beyond that, at least. */
  readonly omitted: number;
} & (
  | {
      readonly kind: "value";
      /** As JSON: lists are arrays, nil is `null`, functions and symbols are their text. */
      readonly value: Json;
      /** As the language prints it, with every digit of a long integer. */
      readonly text: string;
    }
  /** An error of the program: `type` is such as `type-error`, or a Python exception's name. */
  | { readonly kind: "error"; readonly type: string; readonly message: string }
  | { readonly kind: "interrupted" }
);

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
