/** Texts of the dialog about a board. */

import { spoken } from "../index.ts";

export const english = {
  asking: "Asking the board…",
  restart: "Restart",
  softReset: "Soft reset",
  hardReset: "Hard reset",
  bootloader: "Bootloader",
  resetHint: "A soft reset restarts the interpreter. A hard reset is the button on the board: boot.py and main.py run. The bootloader waits for new firmware.",
  clock: "Clock",
  setClock: "Set to this computer's time",
  files: "Files",
  backUp: "Back up as a zip",
  putBack: "Put a backup back…",
  backup: "Backup",
  // Activities.
  restarting: "Restarting",
  toBootloader: "Into the bootloader",
  askingWhat: "Asking what it is",
  settingClock: "Setting the clock",
  reading: "Reading",
  writing: "Writing",
  // Results.
  wasReset: "The board was reset.",
  inBootloader: "The board is in its bootloader: copy the new firmware onto the drive that has appeared, or flash it with your tool.",
  clockSet: (time: string) => `The clock is set: ${time}.`,
  backedUp: { one: "# file is in the backup.", other: "# files are in the backup." },
  notBackedUp: "Nothing was backed up.",
  fileCount: { one: "# file", other: "# files" },
  putBackAsked: "Put this backup back?",
  putBackExplained: (name: string, files: string, board: string) => `${name} has ${files}. They replace those of the same name on ${board}; others stay.`,
  putBackAction: "Put it back",
  isPutBack: (files: string) => `${files} put back.`,
  stopped: "Stopped: some of the files may be on the board already.",
  noZip: "This is no zip file, or a damaged one.",
  badPath: (path: string) => `The zip file has a path that leads elsewhere: ${path}. Nothing was written.`,
  // Facts about a board.
  firmware: "Firmware",
  chip: "Chip",
  platform: "Platform",
  number: "Number",
  speed: "Speed",
  memory: "Memory",
  flash: "Flash",
  pins: "Pins",
  atBoot: "At boot",
  free: (free: string, all: string) => `${free} free of ${all}`,
  nothingAtBoot: "nothing: there is no boot.py and no main.py",
  andThen: (first: string, second: string) => `${first}, then ${second}`,
};

export const texts = spoken("device", english);
