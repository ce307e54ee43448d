/** Where a board's words go. */

export interface Screen {
  /** What the board has printed. */
  write(data: Uint8Array | string): Promise<void>;
  /** Says something that the page says, on a line of its own. */
  note(text: string): Promise<void>;
  /** A program waits for what the person types, or seems to. */
  inputAwaited(): void;
}
