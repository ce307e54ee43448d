/** Message about a program that needs more memory than the machine has that the board in this page is like. */

import { decimal } from "../../../texts/index.ts";
import { texts } from "../../../texts/pins.ts";

/** Describes memory in use, and the machine's memory for Python, both in bytes. */
export function describeMemory({ used, size }: { used: number; size: number }): string {
  return `── ${texts.tooMuchMemory(decimal(used / KIB, 0), decimal(size / KIB, 0))} ──`;
}

const KIB = 1024;
