/** Files of a board, whatever brings them: the command on a desktop, the npm package in a browser. */

/** A file or a directory. */
export interface Entry {
  readonly name: string;
  readonly kind: "file" | "directory";
  /** In bytes. */
  readonly size: number;
  /** In seconds since 1970. */
  readonly modified?: number | undefined;
}

export interface Storage {
  list(path: string): Promise<readonly Entry[]>;
  stat(path: string): Promise<Entry>;
  read(path: string): Promise<Uint8Array>;
  /** Writes a file whole: the old one is replaced when the new one is there. */
  write(path: string, content: Uint8Array): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a directory and everything in it. */
  remove(path: string): Promise<void>;
}

/** A request that failed: the file is missing, the board is away, or the board refused; `undefined` for other errors. */
export type Fault = (error: unknown) => "missing" | "away" | "refused" | undefined;
