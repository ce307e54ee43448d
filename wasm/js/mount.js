// A folder of this computer on a board; declared in ../types/mount.d.ts.

import load, { mountFolder } from "../pkg/mount/flylead_wasm.js";
import { loader } from "./load.js";

export { mountFolder };
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/mount/flylead_wasm_bg.wasm", import.meta.url));
