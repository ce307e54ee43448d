// Debugging of programs on boards; declared in ../types/debug.d.ts.

import load, { Debugger } from "../pkg/debug/flylead_wasm.js";
import { hold } from "./hold.js";
import { loader } from "./load.js";

export { Debugger };
export { isFlyleadError } from "./errors.js";

// Before and after its program it does nothing that anybody could wait for.
const { run } = Debugger.prototype;
Debugger.prototype.run = function () {
  const debugging = run.call(this);
  hold(this, debugging);
  return debugging;
};

export const init = loader(load, new URL("../pkg/debug/flylead_wasm_bg.wasm", import.meta.url));
