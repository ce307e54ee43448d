// Debugging of programs on boards; declared in ../types/debug.d.ts.

import load, { Debugger } from "../pkg/debug/flylead_wasm.js";
import { loader } from "./load.js";

export { Debugger };
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/debug/flylead_wasm_bg.wasm", import.meta.url));
