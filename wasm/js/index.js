// Main entry point of the package: boards and links. Its declarations and guarantees are in ../types/index.d.ts.

import load, { Board, Files } from "../pkg/board/flylead_wasm.js";
import { holdMade } from "./hold.js";
import { init as initLinks } from "./links.js";
import { loader } from "./load.js";

export { Board, Files };
export { openBrowserBoard } from "./browser-board/link.js";
export { isFlyleadError } from "./errors.js";
export { hasSerial, onSerialConnect, onSerialDisconnect, openSerial, openSocket, serialPorts } from "./links.js";

holdMade(Board, "attach");

const initBoard = loader(load, new URL("../pkg/board/flylead_wasm_bg.wasm", import.meta.url));

export const init = async (board, links) => void (await Promise.all([initBoard(board), initLinks(links)]));
