// Files of firmware; declared in ../types/flash.d.ts.

import load, { checkEsp, checkUf2, espBoard } from "../pkg/flash/flylead_wasm.js";
import { loader } from "./load.js";

export { checkEsp, checkUf2, espBoard };

export const init = loader(load, new URL("../pkg/flash/flylead_wasm_bg.wasm", import.meta.url));
