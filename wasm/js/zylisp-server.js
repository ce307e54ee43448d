// A Zylisp server in the page; declared in ../types/zylisp-server.d.ts.

import load, { openServer } from "../pkg/zylisp-server/flylead_wasm.js";
import { loader } from "./load.js";

export { openServer };
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/zylisp-server/flylead_wasm_bg.wasm", import.meta.url));
