/** Texts of the dialog that flashes firmware. */

import { spoken } from "../index.ts";

export const english = {
  title: "Flash firmware",
  intro: "Firmware, such as MicroPython itself, replaces what is on the board. Choose the board, then the file for it.",
  board: "1. Board",
  choosePort: "Choose a port…",
  chooseDrive: "Choose the board's drive…",
  portHint: "An ESP32 is at a serial port. If it does not answer, hold its BOOT button (or IO0), press RESET (or EN), and release both.",
  driveHint: "A Pico shows a drive, RPI-RP2 or RP2350, if BOOTSEL is held while it is plugged in. Other boards show theirs after RESET is pressed twice, quickly.",
  noPorts: "This browser cannot open serial ports. Use Chrome, Edge, Opera, or Firefox from version 151 on, or the command in a terminal: flylead flash esp32",
  noDrives: "This browser cannot write to drives. Use Chrome, Edge or Opera on a computer, or the command in a terminal: flylead flash pico",
  asking: "Asking the board…",
  aBoard: "a board",
  espWith: (chip: string, flash: string) => `${chip}, ${flash} of flash`,
  file: "2. File",
  firmwareFor: "MicroPython for it",
  chooseFile: (suffix: string) => `Choose a ${suffix} file…`,
  firmwareFile: "Firmware file",
  fits: (file: string, size: string) => `${file}, ${size}: it is for this board.`,
  erase: "Erase everything first",
  eraseHint: "The files of the old firmware are deleted. Without this, MicroPython finds them again.",
  flash: "Flash",
  writing: "Writing",
  waiting: "The whole file is on the drive. Waiting for the board to take it…",
  // Results.
  espWritten: "The firmware is on the board, and verified. The board was restarted, and the page connects to it.",
  espWrittenByButton: "The firmware is on the board, and verified. Press the board's RESET button to start it.",
  otherPort: "The board is not at its port any more: new firmware may have another one. Close this, and choose it.",
  driveTook: "The board has taken the firmware: its drive has gone, and MicroPython starts. Close this, and choose its port.",
  stopped: "Stopped.",
  // Errors of files.
  tooBig: (file: string, limit: string) => `${file} is larger than ${limit}, and no firmware. Choose another file`,
  noImage: "this is no firmware for an ESP32. Get the file that ends in .bin from MicroPython's download page",
  damaged: "the file is damaged or incomplete. Download it again",
  programAlone: "the file contains only the application, for over-the-air updates. Get the full image, whose name ends in .bin, not in .app-bin",
  otherImage: "the file is for an ESP8266, or for another ESP that Flylead does not support yet. Use esptool",
  otherChip: (wanted: string, found: string) => `the file is for the ${wanted}, but the chip is an ${found}; nothing was written. Get the file for that chip`,
  tooLarge: (end: string, room: string) => `the file needs ${end} bytes of flash, but the chip has only ${room}; nothing was written. Get a file for this flash size`,
  notUf2: "this is no UF2 file. Get the file that ends in .uf2 from MicroPython's download page",
  damagedUf2: (why: string) => `the file is damaged or incomplete (${why}). Download it again`,
  otherBoard: (chip: string, board: string) => `the file is for ${chip}, but the board takes ${board}; nothing was written. Get the file for your board`,
  unnamed: "the file does not say which chip it is for; nothing was written. Get it from the board's maker",
  unknownBoard: "the chip of this board is unknown here; nothing was written. Copy the file to the drive yourself if its maker says that it fits",
  // Errors of ESPs.
  notOpened: (why: string) => `the port cannot be opened: ${why}. Close other programs that use it, and try again`,
  noRom: "no ESP32 answers at this port; nothing was written. Hold the board's BOOT button (or IO0), press RESET (or EN), release both, and choose the port again",
  noRomThatIsKnown: (why: string) => `the chip cannot be identified: ${why}; nothing was written. Press its RESET button, and choose the port again`,
  notReady: (why: string) => `the chip is not ready to be written: ${why}; nothing was written. Hold BOOT, press RESET, release both, and choose the port again`,
  unknownChip: (chip: string) => `the page does not write the ${chip}, or not in its protected mode; nothing was written. Use esptool`,
  stalled: "it does not answer any more",
  espStopped: (why: string, done: string, total: string) => `${why}, after ${done} of ${total} bytes; the board has no complete firmware now. To flash it again, hold BOOT, press RESET, release both, and choose the port again`,
  // Errors of drives.
  noDrive: "this folder is not the drive of a board: it has no INFO_UF2.TXT. Hold BOOTSEL while you plug the board in, and choose the drive that appears",
  driveFull: "the drive is full, and the file is not on the board. Unplug the board, get its drive again, and delete what you have put there",
  driveReadOnly: "the drive cannot be written: it is read-only, or the browser may not. Choose the drive again, and allow the page to edit files; or copy the file there yourself",
  driveVanished: (done: string, total: string) => `the drive vanished after ${done} of ${total} bytes: the board was unplugged, or restarted. Get its drive again, choose it, and flash again; nothing is lost but time`,
  driveStopped: (why: string, done: string, total: string) => `${why}, after ${done} of ${total} bytes. Get the board's drive again, choose it, and flash again`,
  driveStays: "the whole file is on the drive, and the drive is still there: the board has not taken it. The file may be for another board. Look at its name, and unplug the board",
};

export const texts = spoken("flash", english);
