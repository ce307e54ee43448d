/** Screen for a board's output. */

/** Parts of a drawn board, such as `out:25`, with their current values; a part with an empty value is removed. */
export type Drawn = readonly (readonly [part: string, shown: string])[];

export interface Screen {
  /** Shows output of the board. */
  write(data: Uint8Array | string): Promise<void>;
  /** Shows a message of the page, on a line of its own. */
  note(text: string): Promise<void>;
  /** Called when a program awaits input, or seems to. */
  inputAwaited(): void;
  /** Called with changed parts of a drawn board. Resolves once they are drawn; until then no more changes are sent. */
  drawn(changes: Drawn): Promise<void>;
  /** The board may have become busy, or free. */
  turned(): void;
}
