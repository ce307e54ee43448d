// Zylisp REPLs; declared in ../types/zylisp.d.ts.

import load, { isUnfinished, Zylisp } from "../pkg/zylisp/flylead_wasm.js";
import { holdMade } from "./hold.js";
import { loader } from "./load.js";

export { isUnfinished, Zylisp };
export { isFlyleadError } from "./errors.js";

holdMade(Zylisp, "attach", "connect");

export const init = loader(load, new URL("../pkg/zylisp/flylead_wasm_bg.wasm", import.meta.url));
