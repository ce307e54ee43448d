// Links over Web Serial and WebSockets; declared in ../types/links.d.ts.

import load, {
  hasSerial,
  onSerialConnect,
  onSerialDisconnect,
  openSerial,
  openSocket,
  serialPorts,
} from "../pkg/links/flylead_wasm.js";
import { loader } from "./load.js";

export { hasSerial, onSerialConnect, onSerialDisconnect, openSerial, openSocket, serialPorts };
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/links/flylead_wasm_bg.wasm", import.meta.url));
