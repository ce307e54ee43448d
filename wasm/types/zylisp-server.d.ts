/**
 * `flylead/zylisp-server`: a Zylisp server and the language in the page, for a `Zylisp` of `flylead/zylisp`.
 *
 * ```ts
 * const zylisp = Zylisp.attach(openServer());
 * const result = await zylisp.eval("(+ 1 2)");
 * ```
 */

import type { WasmSource } from "./index.js";

export { openServer, type ZylispServerOptions } from "../pkg/zylisp-server/flylead_wasm.js";
export { isFlyleadError, type Link } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;
