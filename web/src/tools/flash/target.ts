/** A board that takes firmware: an ESP at a serial port, or the drive of a boot loader. */

import type { SerialDevice } from "flylead";

export interface Target {
  /** Board as it calls itself, such as `ESP32-S3`. */
  readonly name: string;
  /** Page of MicroPython's makers with the firmware for it. */
  readonly download: string;
  /** End of the names of its files. */
  readonly suffix: ".bin" | ".uf2";
  /** True if it can be erased before it is written. */
  readonly erases: boolean;
  /** Throws an error if the board must not get this file. */
  check(file: Uint8Array): Promise<void>;
  /** Writes a file that has passed the check, and returns what the board does next. */
  write(file: Uint8Array<ArrayBuffer>, options: WriteOptions): Promise<Written>;
  /** Lets the board go. */
  close(): Promise<void>;
}

export interface WriteOptions {
  /** True to erase everything first. */
  readonly erase: boolean;
  /** Receives the number of bytes that the board has. */
  readonly report: (done: number) => void;
  /** Tells what the board is waited for. */
  readonly say: (text: string) => void;
  /** Ends the writing in the middle. */
  readonly signal: AbortSignal;
}

export interface Written {
  /** Result, and what to do next. */
  readonly said: string;
  /** Port at which the new firmware will be. */
  readonly port?: SerialDevice;
}
