/** Stubs by the kind of board: names of the wheels in `web/stubs`. */

/** Wheels of a platform: the library, and what its boards have beside it. */
export function wheelsOf(platform: string): { readonly library: string; readonly own: string | undefined } {
  if (platform === "microbit") return { library: "microbit_stubs_en", own: undefined };
  return { library: "stdlib_stubs", own: `${PACKAGES[platform] ?? PACKAGES[USUAL]}_stubs` };
}

/** Returns true if the stubs are those of this very kind of board. */
export function hasStubs(platform: string): boolean {
  return platform === "microbit" || Object.hasOwn(PACKAGES, platform);
}

/** A board that has not said yet what it is is taken for a Pico. */
const USUAL = "rp2";
/** By `sys.platform`. */
const PACKAGES: Readonly<Record<string, string>> = {
  rp2: "rp2",
  esp32: "esp32",
  esp8266: "esp8266",
  pyboard: "stm32",
  samd: "samd",
  linux: "unix",
  darwin: "unix",
  webassembly: "webassembly",
};
