/** `flylead/flash`: files of firmware, checked before they are written to a board. */

import type { WasmSource } from "./index.js";

export { checkEsp, checkUf2, espBoard, type EspFit, type Uf2Fit } from "../pkg/flash/flylead_wasm.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;
