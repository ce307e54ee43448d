/** Screen for a board's output. */

/** Parts of a drawn board, such as `out:25`, and what they show now; one that shows nothing is gone. */
export type Drawn = readonly (readonly [part: string, shown: string])[];

export interface Screen {
  /** Shows output of the board. */
  write(data: Uint8Array | string): Promise<void>;
  /** Says something that the page says, on a line of its own. */
  note(text: string): Promise<void>;
  /** A program waits for what the person types, or seems to. */
  inputAwaited(): void;
  /** Parts of a drawn board and what they show have changed. Resolves once that is drawn: until then no more are told. */
  drawn(changes: Drawn): Promise<void>;
  /** The board may have become busy, or free. */
  turned(): void;
}
