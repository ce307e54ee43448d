// Files of firmware; declared in ../types/flash.d.ts.

import load, { checkUf2 } from "../pkg/flash/flylead_wasm.js";
import { loader } from "./load.js";

export { checkUf2 };

export const init = loader(load, new URL("../pkg/flash/flylead_wasm_bg.wasm", import.meta.url));
