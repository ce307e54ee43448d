// The front door for Node, whose `fetch` reads no files.

import { readFile } from "node:fs/promises";

import { init as instantiate } from "./index.js";

export * from "./index.js";

/** Loads the WebAssembly once, from the disk unless told otherwise. */
export function init(source = readFile(new URL("../pkg/flylead_wasm_bg.wasm", import.meta.url))) {
  return instantiate(source);
}
