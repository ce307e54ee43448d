// The package's front door: boards and links. It is declared, with its promises, in ../types/index.d.ts.

import load, { Board, Files, Run, Transfer } from "../pkg/board/flylead_wasm.js";
import { loader } from "./load.js";

export { Board, Files, Run, Transfer };
export { openBrowserBoard } from "./browser-board/link.js";
export { isFlyleadError } from "./errors.js";
export { hasSerial, onSerialConnect, onSerialDisconnect, openSerial, serialPorts } from "./serial.js";
export { openSocket } from "./socket.js";

export const init = loader(load, new URL("../pkg/board/flylead_wasm_bg.wasm", import.meta.url));
