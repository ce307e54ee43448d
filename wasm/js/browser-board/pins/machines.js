// Machines that a board in the page can imitate: their files, which a program imports, and the size of their disk.

import { LIBRARIES } from "./libraries.js";
import { MACHINE } from "./machine.js";
import { BUSES } from "./buses.js";
import { CORE } from "./core.js";
import { DISPLAY } from "./display.js";
import { REFUSED } from "./refused.js";

/** Folder of these files, which do not belong to the board. */
export const FOLDER = "/dev/board";

const SHARED = { _pins: CORE, _display: DISPLAY, _buses: BUSES, machine: MACHINE, ...LIBRARIES, network: REFUSED.network, bluetooth: REFUSED.bluetooth };

/** The firmware for a Pico has 1408 kB of its 2 MB for files, and that for an ESP32 2 MB of 4. */
export const MACHINES = {
  pico: { disk: 1408 * 1024, files: { ...SHARED, rp2: REFUSED.rp2, _kind: "PICO = True\n" } },
  esp32: { disk: 2 * 1024 * 1024, files: { ...SHARED, esp32: REFUSED.esp32, esp: REFUSED.esp, espnow: REFUSED.espnow, _kind: "PICO = False\n" } },
};
