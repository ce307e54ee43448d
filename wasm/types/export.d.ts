/// <reference lib="esnext.disposable" />

/** `flylead/export`: experiments, whose logs are collected from a device that records. */

import type { CancelledError, ExportError, Link, LostError, WasmSource } from "./index.js";

export { isFlyleadError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

export interface RecorderOptions {
  /** The line's speed, from which the longest time for a log is counted; it opens nothing. Default 115200. */
  baudRate?: number;
  /** How long the log's header may take, and the least that the whole may take. Default 120 000 ms. */
  timeout?: number;
  /** How long the device may be silent inside the log. Default 10 000 ms. */
  idleTimeout?: number;
  /** The longest log, in bytes; one that announces more is refused at once. Default 64 MiB. */
  sizeLimit?: number;
  /** Refuse a log without the device's `CRC32=` or `SHA256=`. Default `false`. */
  requireChecksum?: boolean;
  /** Bytes of {@link Recorder.chatter} that are kept unread, the newest. Default 1 MiB. */
  outputLimit?: number;
}

/** Where the fetching of a log stands. */
export type ExportPhase = "idle" | "draining" | "waitingHeader" | "receiving" | "verifying" | "closed";

/**
 * A device that records to its SD card between `START` and `STOP`, and sends the file when it is asked to `EXPORT`.
 * It sends nothing before it is asked to, and nothing at all while a log is fetched.
 *
 * ```ts
 * const recorder = Recorder.attach(await openSerial());
 * recorder.start("run001");
 * // … later
 * recorder.stop();
 * const { bytes, integrity } = await recorder.fetch("run001");
 * ```
 */
export class Recorder {
  private constructor();

  /**
   * Takes both streams of an open link and locks them until {@link close}.
   * @throws {TypeError} if a stream is missing (the port is not open) or locked.
   */
  static attach(link: Link, options?: RecorderOptions): Recorder;

  readonly phase: ExportPhase;

  /**
   * Everything the device says that is no log: answers, echoes, its own logger. Untrusted. What nobody reads is kept
   * up to `outputLimit`. Always the same stream.
   */
  readonly chatter: ReadableStream<Uint8Array<ArrayBuffer>>;

  /** Resolves when the conversation is over: with the reason if the device was lost, without after `close()`. */
  readonly lost: Promise<LostError | undefined>;

  /**
   * Asks the device to record; its answer, if it has one, is {@link chatter}. A run id is 1 to 64 letters, digits,
   * `_`, `-` and `.`, and cannot be a path.
   * @throws {RangeError} if the run id is none. {@link BusyError} while a log is fetched. {@link LostError}
   */
  start(runId: string): void;

  /** Asks the device to end its recording. @throws {BusyError} while a log is fetched. {@link LostError} */
  stop(): void;

  /** Sends text or bytes as they are. @throws {BusyError} while a log is fetched. {@link LostError} */
  send(data: string | Uint8Array): void;

  /**
   * Asks for the log of a run. An experiment that still runs is refused by the device: `stop()` it first.
   * @throws {RangeError} if the run id is none. {@link BusyError} while another log is fetched. {@link LostError}
   */
  fetch(runId: string): Fetch;

  /**
   * Ends the conversation and unlocks both streams of the link; they stay open. A fetch under way rejects with
   * {@link ClosedError}. Never rejects, may be called twice.
   */
  close(): Promise<void>;

  /** `close()` without waiting. */
  free(): void;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

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
export class Fetch implements AsyncIterable<ExportEvent>, PromiseLike<ExportedLog> {
  private constructor();

  /**
   * The log, once it is known to be whole. Rejects with {@link ExportError}, {@link CancelledError},
   * {@link ClosedError}. Once somebody iterates or has cancelled, nobody has to look at its failure.
   */
  readonly done: Promise<ExportedLog>;

  /** Gives it up. The protocol has no word for that: what the device still sends becomes {@link Recorder.chatter}. */
  cancel(): void;

  /** What makes `await` work: that of {@link done}. */
  then<A = ExportedLog, B = never>(
    fulfilled?: ((value: ExportedLog) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;

  /**
   * What happens, from when this is called. Ends with the log; throws when there is none. A loop that is left early
   * does not end the fetch.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<ExportEvent>;

  free(): void;
  [Symbol.dispose](): void;
}

/** What happens while a log is fetched. */
export type ExportEvent =
  /** The line was quiet, and the device has been asked. */
  | { readonly kind: "asked" }
  /** It said something that is no log. */
  | { readonly kind: "chatter"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** It started anew. */
  | { readonly kind: "reset" }
  /** The header came. `total` is the size that a `"sized"` log announces, in bytes. */
  | { readonly kind: "begun"; readonly framing: "sized" | "marked"; readonly total: number | undefined }
  /** The next bytes of the log. They are not known to be right before {@link Fetch.done} resolves. */
  | { readonly kind: "body"; readonly bytes: Uint8Array<ArrayBuffer> };

/** A log that came whole. */
export interface ExportedLog {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly integrity: Integrity;
  /** In hexadecimal. */
  readonly crc32: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly warnings: readonly ExportWarning[];
}

/**
 * What says that a log is whole, from the strongest to the weakest: the device's checksum; its length and what follows
 * it, blind to changed bytes; as many lines as announced; `BEGIN` and `END` alone, blind to anything between.
 */
export type Integrity = "sha256" | "crc32" | "lengthAndTail" | "linesAndMarkers" | "markers";

/** The log is empty; it begins with a line `BEGIN` and ends with `END`; the device started anew before it sent it. */
export type ExportWarning = "empty" | "markers" | "resetSeen";
