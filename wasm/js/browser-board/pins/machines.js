// Machines that a board in the page can imitate: their files, which a program imports, and the sizes of their
// disk and their memory.

import { LIBRARIES } from "./libraries.js";
import { MACHINE } from "./machine.js";
import { BUSES } from "./buses.js";
import { CORE } from "./core.js";
import { DISPLAY } from "./display.js";
import { REFUSED } from "./refused.js";

/** Folder of these files, which do not belong to the board. */
export const FOLDER = "/dev/board";

const SHARED = { _pins: CORE, _display: DISPLAY, _buses: BUSES, machine: MACHINE, ...LIBRARIES, network: REFUSED.network, bluetooth: REFUSED.bluetooth };

/**
 * The firmware for a Pico has 1408 kB of its 2 MB for files, and that for an ESP32 2 MB of 4. Memory is MicroPython's heap and what of
 * it is free after the start: a Pico's as its firmware v1.28 says (`gc`), an ESP32's as it is about without PSRAM, where the heap grows
 * from 64,000 bytes (github.com/micropython/micropython/pull/12141).
 */
export const MACHINES = {
  pico: { disk: 1408 * 1024, memory: { heap: 245_696, free: 241_552 }, files: { ...SHARED, rp2: REFUSED.rp2, _kind: "PICO = True\n" } },
  esp32: { disk: 2 * 1024 * 1024, memory: { heap: 166_000, free: 160_000 }, files: { ...SHARED, esp32: REFUSED.esp32, esp: REFUSED.esp, espnow: REFUSED.espnow, _kind: "PICO = False\n" } },
};
