/** The drive that a boot loader shows: it takes UF2 files (https://github.com/microsoft/uf2). */

import { checkUf2, init, type Uf2Fit } from "flylead/flash";
import { locale } from "../../texts/index.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/tools/flash.ts";
import { sleep, within } from "../../time.ts";
import type { Target, WriteOptions, Written } from "./target.ts";

/** Reads the drive's own description ("Files exposed by bootloaders"), and returns its board. */
export async function openDrive(drive: FileSystemDirectoryHandle): Promise<Target> {
  const info = await describe(drive).catch(() => "");
  const valueOf = (key: string) => new RegExp(`^${key}:(.*)$`, "m").exec(info)?.[1]?.trim() ?? "";
  const [model, id] = [valueOf("Model"), valueOf("Board-ID")];
  if (!model && !id) throw new Error(texts.noDrive);
  await init();
  return {
    name: id ? `${model || texts.aBoard} (${id})` : model,
    download: downloadFor(id),
    suffix: ".uf2",
    erases: false,
    check: async (file) => mustFit(checkUf2(file, id)),
    write: (file, options) => write(drive, file, options),
    close: async () => undefined,
  };
}

async function describe(drive: FileSystemDirectoryHandle): Promise<string> {
  return within(ANSWER_MS, read(drive), texts.stalled);
}

async function read(drive: FileSystemDirectoryHandle): Promise<string> {
  const file = await (await drive.getFileHandle("INFO_UF2.TXT")).getFile();
  return file.size > INFO_LIMIT ? "" : file.text();
}

function downloadFor(id: string): string {
  const chip = id === "RPI-RP2" ? "rp2040" : /^(?:RP2350|SAMD21|SAMD51|ESP32S2|ESP32S3|nRF52840)/i.exec(id.replaceAll("-", ""))?.[0];
  return `https://micropython.org/download/${chip ? `?mcu=${chip.toLowerCase()}` : ""}`;
}

function mustFit(fit: Uf2Fit): void {
  switch (fit.kind) {
    case "accepted":
      return;
    case "otherChip":
      throw new Error(texts.otherBoard({ chip: fit.chip, board: fit.board }));
    case "unnamed":
      throw new Error(texts.unnamed);
    case "unknownBoard":
      throw new Error(texts.unknownBoard);
    case "notUf2":
      throw new Error(texts.notUf2);
    case "damaged":
      throw new Error(texts.damagedUf2({ why: fit.why }));
  }
}

async function write(drive: FileSystemDirectoryHandle, file: Uint8Array<ArrayBuffer>, { report, say, signal }: WriteOptions): Promise<Written> {
  let done = 0;
  try {
    const stream = await within(ANSWER_MS, fileOn(drive), texts.stalled);
    for (let at = 0; at < file.length; at += PIECE) {
      if (signal.aborted) await stream.abort().catch(() => undefined);
      signal.throwIfAborted();
      await within(PIECE_MS, stream.write(file.subarray(at, at + PIECE)), texts.stalled);
      report((done = Math.min(at + PIECE, file.length)));
    }
    await within(CLOSE_MS, stream.close(), texts.stalled);
  } catch (error) {
    // A boot loader that has all blocks starts the firmware at once, and the drive goes before the browser has closed the file.
    if (done === file.length && !(await isThere(drive))) return { said: texts.driveTook };
    throw await faultOf(error, drive, done, file.length);
  }
  say(texts.waiting);
  if (await isGone(drive)) return { said: texts.driveTook };
  throw new Error(texts.driveStays);
}

async function fileOn(drive: FileSystemDirectoryHandle): Promise<FileSystemWritableFileStream> {
  const handle = await drive.getFileHandle(NAME, { create: true });
  return handle.createWritable();
}

/** Says why the drive did not get the whole file. */
async function faultOf(error: unknown, drive: FileSystemDirectoryHandle, done: number, total: number): Promise<Error> {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "QuotaExceededError") return new Error(texts.driveFull);
  if (name === "NoModificationAllowedError" || name === "NotAllowedError" || name === "SecurityError") return new Error(texts.driveReadOnly);
  const [part, whole] = [done.toLocaleString(locale), total.toLocaleString(locale)];
  if (!(await isThere(drive))) return new Error(texts.driveVanished({ done: part, total: whole }));
  return new Error(texts.driveStopped({ why: messageOf(error), done: part, total: whole }));
}

/** Waits for the drive to go, as it does when the board starts new firmware. */
async function isGone(drive: FileSystemDirectoryHandle): Promise<boolean> {
  const deadline = performance.now() + GOES_MS;
  while (performance.now() < deadline) {
    if (!(await isThere(drive))) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

function isThere(drive: FileSystemDirectoryHandle): Promise<boolean> {
  return describe(drive).then((info) => info !== "", () => false);
}

/** Name on the drive: short, for FAT. */
const NAME = "FIRMWARE.UF2";
/** Size limit of a drive's description, in bytes; a real one has a few lines. */
const INFO_LIMIT = 4096;
const PIECE = 64 * 1024;
const ANSWER_MS = 10_000;
/** Boot loaders write some 50 kB per second; the system may keep a piece back until the ones before are there. */
const PIECE_MS = 60_000;
const CLOSE_MS = 120_000;
/** Time in which a board starts new firmware: the system writes what it has kept back within some 30 seconds. */
const GOES_MS = 45_000;
const LOOK_MS = 300;
