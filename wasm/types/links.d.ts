/** `flylead/links`: links over Web Serial and WebSockets, for who needs no board. */

import type { WasmSource } from "./index.js";

export {
  hasSerial,
  onSerialConnect,
  onSerialDisconnect,
  openSerial,
  openSocket,
  serialPorts,
  type SerialOptions,
  type SocketOptions,
  type UsbIds,
} from "../pkg/links/flylead_wasm.js";
export { isFlyleadError } from "./index.js";

/** Loads this part's WebAssembly, once, as the package's own `init` does. */
export function init(source?: WasmSource | Promise<WasmSource>): Promise<void>;
