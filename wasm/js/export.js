// Logs collected from a device; declared in ../types/export.d.ts.

import load, { Recorder } from "../pkg/export/flylead_wasm.js";
import { holdMade } from "./hold.js";
import { loader } from "./load.js";

export { Recorder };
export { isFlyleadError } from "./errors.js";

holdMade(Recorder, "attach");

export const init = loader(load, new URL("../pkg/export/flylead_wasm_bg.wasm", import.meta.url));
