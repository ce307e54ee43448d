/** Tracks the plugged-in boards as the browser reports them, which needs no code that talks to them. */

import type { SerialDevice } from "flylead";

/** The part of Web Serial's `Serial` used here. */
interface Serial extends EventTarget {
  getPorts(): Promise<SerialDevice[]>;
}

/** Web Serial, which exists only in some browsers, and only for `https:` or localhost. */
const serial = (navigator as { serial?: Serial }).serial;

export function hasSerial(): boolean {
  return serial !== undefined;
}

/** Returns the ports that the user has allowed this page to open. */
export async function serialPorts(): Promise<SerialDevice[]> {
  return serial ? serial.getPorts() : [];
}

/** Calls `listener` with each such port that is plugged in. */
export function onSerialConnect(listener: (port: SerialDevice) => void): void {
  serial?.addEventListener("connect", ({ target }) => listener(target as unknown as SerialDevice));
}

/** Calls `listener` when such a port is unplugged. */
export function onSerialDisconnect(listener: () => void): void {
  serial?.addEventListener("disconnect", () => listener());
}
