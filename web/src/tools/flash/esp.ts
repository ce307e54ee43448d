/** An ESP32 at a serial port, written by the protocol of its boot ROM. */

import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { ESPLoader, type FlashSizeValues } from "esptool-js";
import type { SerialDevice } from "flylead";
import { checkEsp, espBoard, init } from "flylead/flash";
import { locale } from "../../texts/index.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/tools/flash.ts";
import { EspLine } from "./esp-line.ts";
import type { Target, WriteOptions, Written } from "./target.ts";

/** Asks the boot ROM at a port for its chip, and loads the program that writes into the chip's memory. */
export async function openEsp(port: SerialDevice): Promise<Target> {
  const line = new EspLine(port);
  const loader = new ESPLoader({ transport: line, baudrate: BAUD, romBaudrate: ROM_BAUD, terminal: SILENT });
  try {
    await loader.main().catch((error: unknown) => Promise.reject(faultOf(error, port, loader)));
    return await targetOf(port, line, loader);
  } catch (error) {
    await line.end();
    throw error;
  }
}

async function targetOf(port: SerialDevice, line: EspLine, loader: ESPLoader): Promise<Target> {
  await init();
  const chip = loader.chip.CHIP_NAME;
  const board = espBoard(chip);
  if (!board || !loader.IS_STUB) throw new Error(texts.unknownChip({ chip }));
  const size = await loader.detectFlashSize();
  if (!size) throw new Error(texts.unknownChip({ chip }));
  const room = loader.flashSizeBytes(size as FlashSizeValues);
  return {
    name: texts.espWith({ chip, flash: size.replace("MB", " MB").replace("KB", " KB") }),
    download: `https://micropython.org/download/${board}/`,
    suffix: ".bin",
    erases: true,
    check: async (file) => void placeOf(file, chip, room),
    write: (file, options) => write(file, placeOf(file, chip, room), options, { port, line, loader }),
    close: async () => (await line.pressReset(), await line.end()),
  };
}

/** Checks that an image is for this chip, and that its flash is large enough; returns the address at which it goes. */
function placeOf(file: Uint8Array, chip: string, room: number): number {
  const fit = checkEsp(file, chip);
  switch (fit.kind) {
    case "accepted":
      if (fit.offset + file.length <= room) return fit.offset;
      throw new Error(texts.tooLarge({ end: inDigits(fit.offset + file.length), room: inDigits(room) }));
    case "otherChip":
      throw new Error(texts.otherChip({ wanted: fit.chip, found: chip }));
    case "notImage":
      throw new Error(texts.noImage);
    case "programAlone":
      throw new Error(texts.programAlone);
    case "unknownChip":
      throw new Error(texts.otherImage);
    case "damaged":
      throw new Error(texts.damaged);
  }
}

interface Opened {
  readonly port: SerialDevice;
  readonly line: EspLine;
  readonly loader: ESPLoader;
}

async function write(file: Uint8Array, address: number, { erase, report, signal }: WriteOptions, { port, line, loader }: Opened): Promise<Written> {
  let done = 0;
  try {
    await loader.writeFlash({
      fileArray: [{ data: file, address }],
      flashMode: "keep",
      flashFreq: "keep",
      flashSize: "keep",
      eraseAll: erase,
      compress: true,
      calculateMD5Hash: (image) => bytesToHex(md5(image)),
      reportProgress: (_, sent, total) => {
        signal.throwIfAborted();
        report((done = Math.floor((file.length * sent) / total)));
      },
    });
  } catch (error) {
    throw new Error(texts.espStopped({ why: reasonOf(error), done: inDigits(done), total: inDigits(file.length) }));
  }
  await line.pressReset();
  await line.end();
  return { said: line.hasLines ? texts.espWritten : texts.espWrittenByButton, port };
}

/** Says why no chip can be written at the port. */
function faultOf(error: unknown, port: SerialDevice, loader: ESPLoader): Error {
  if (!port.readable) return new Error(texts.notOpened({ why: reasonOf(error) }));
  if (reasonOf(error).startsWith("Failed to connect")) return new Error(texts.noRom);
  return new Error(loader.chip ? texts.notReady({ why: reasonOf(error) }) : texts.noRomThatIsKnown({ why: reasonOf(error) }));
}

/** Returns the message of a failed step, for the middle of a sentence. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/[.!]$/, "");
}

function inDigits(count: number): string {
  return count.toLocaleString(locale);
}

/** Terminal for what esptool-js tells, all of which the dialog says in words of its own. */
const SILENT = { clean() {}, write() {}, writeLine() {} };
/** Speed of a boot ROM by default. */
const ROM_BAUD = 115_200;
/** Speed for the image; common USB chips and long cables support it. */
const BAUD = 460_800;
