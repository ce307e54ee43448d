/**
 * Images of a whole ESP flash, as MicroPython distributes them (esptool, "Firmware Image Format"). The command checks
 * the same in native/src/flash/esp/image.rs.
 */

import { texts } from "../../texts/tools/flash.ts";

/** Kind of an ESP32 chip. */
export interface EspChip {
  /** Number in the header of an image. */
  readonly number: number;
  /** Name, such as `ESP32-S3`. */
  readonly name: string;
  /** Flash address at which its boot ROM looks for the boot loader. */
  readonly boot: number;
}

/** Image for the flash of a chip: boot loader, partitions and program. */
export interface EspImage {
  readonly chip: EspChip;
  /** Flash address at which the file begins. */
  readonly offset: number;
}

/** Chips by their numbers (esp-idf, `esp_chip_id_t`), with the addresses of their boot loaders. */
const CHIPS: readonly EspChip[] = [
  { number: 0, name: "ESP32", boot: 0x1000 },
  { number: 2, name: "ESP32-S2", boot: 0x1000 },
  { number: 5, name: "ESP32-C3", boot: 0 },
  { number: 9, name: "ESP32-S3", boot: 0 },
  { number: 12, name: "ESP32-C2", boot: 0 },
  { number: 13, name: "ESP32-C6", boot: 0 },
  { number: 18, name: "ESP32-P4", boot: 0x2000 },
  { number: 23, name: "ESP32-C5", boot: 0x2000 },
];

/** Finds a chip by its name. */
export function chipNamed(name: string): EspChip | undefined {
  return CHIPS.find((chip) => chip.name === name);
}

/** Reads an image; throws an error that says what is wrong with the file. */
export function readImage(bytes: Uint8Array): EspImage {
  const start = startOf(bytes);
  if (start === undefined) throw new Error(texts.noImage);
  const image = bytes.subarray(start);
  const number = u16(image, 12);
  if (number === undefined) throw new Error(texts.damaged);
  const chip = CHIPS.find((one) => one.number === number);
  if (!chip || isFor8266(image)) throw new Error(texts.otherImage);
  const isFromZero = bytes[0] === ERASED;
  if (!isWhole(image) || (isFromZero && start !== chip.boot)) throw new Error(texts.damaged);
  const offset = isFromZero ? 0 : chip.boot;
  if (!isWhole(programIn(bytes, offset))) throw new Error(texts.damaged);
  return { chip, offset };
}

/** Returns the position of the first image, if nothing but erased flash precedes it. */
function startOf(bytes: Uint8Array): number | undefined {
  if (bytes[0] === MAGIC) return 0;
  if (bytes[0] !== ERASED) return undefined;
  const start = bytes.findIndex((byte) => byte !== ERASED);
  return bytes[start] === MAGIC && CHIPS.some(({ boot }) => boot === start) ? start : undefined;
}

/**
 * Returns true for an image for an ESP8266, which has the address of its first segment where the others have their
 * flash pins.
 */
function isFor8266(image: Uint8Array): boolean {
  return [0x3ffe, 0x3fff, 0x4010, 0x4020].includes((u32(image, 8) ?? 0) >>> 16);
}

/** Finds the program through the partition table; a file without one is an application alone. */
function programIn(bytes: Uint8Array, offset: number): Uint8Array {
  const table = TABLE - offset;
  if (u16(bytes, table) !== PARTITION) throw new Error(texts.programAlone);
  for (let at = table; u16(bytes, at) === PARTITION && at + ENTRY <= bytes.length; at += ENTRY) {
    if (bytes[at + 2] === PROGRAM) return bytes.subarray(Math.max(u32(bytes, at + 4)! - offset, 0));
  }
  throw new Error(texts.damaged);
}

/** Walks through the segments of an image, and verifies its checksum. */
function isWhole(image: Uint8Array): boolean {
  if (image[0] !== MAGIC) return false;
  let [at, sum] = [HEAD, 0xef];
  for (let count = image[1] ?? 0; count > 0; count--) {
    const length = u32(image, at + 4);
    if (length === undefined || at + 8 + length > image.length) return false;
    for (const byte of image.subarray(at + 8, at + 8 + length)) sum ^= byte;
    at += 8 + length;
  }
  // The checksum is the last byte of a block of 16.
  return image[at + 15 - (at % 16)] === sum;
}

function u16(bytes: Uint8Array, at: number): number | undefined {
  return at + 2 <= bytes.length ? bytes[at]! | (bytes[at + 1]! << 8) : undefined;
}

function u32(bytes: Uint8Array, at: number): number | undefined {
  const [low, high] = [u16(bytes, at), u16(bytes, at + 2)];
  return high === undefined ? undefined : (low! | (high << 16)) >>> 0;
}

const MAGIC = 0xe9;
const ERASED = 0xff;
/** Length of an image's header: 8 bytes, and 16 more since the ESP32. */
const HEAD = 24;
/** Address of the partition table, unless the firmware's build configuration says otherwise; MicroPython's does not. */
const TABLE = 0x8000;
const ENTRY = 32;
const PARTITION = 0x50aa;
/** Type of a partition with a program. */
const PROGRAM = 0;
