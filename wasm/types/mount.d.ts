/// <reference lib="esnext.disposable" />

/**
 * `flylead/mount`: a folder of this computer on a board, which imports from it, reads and writes it.
 *
 * ```ts
 * const folder = await showDirectoryPicker({ mode: "readwrite" });
 * const link = await mountFolder(await openSerial(), folder);
 * const board = Board.attach(link);
 * await board.exec("import main");
 * await board.close();
 * await link.close();
 * ```
 */

import type { OpenLink, WasmSource } from "./index.js";

export { mountFolder, type MountNews, type MountOptions } from "../pkg/mount/flylead_wasm.js";
export { isFlyleadError, type Link, type LostError, type MountError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;

/** A board with a folder on it. Closing it takes the folder from the board and unlocks the link below, which stays open. */
export type MountedLink = OpenLink;
