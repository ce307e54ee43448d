/** Tracks the plugged-in boards, as the browser reports them: that needs no code that talks to them. */

import type { SerialDevice } from "flylead";

/** The part of Web Serial's `Serial` that is used here. */
interface Serial extends EventTarget {
  getPorts(): Promise<SerialDevice[]>;
}

/** Only in some browsers, and only from `https:` or localhost. */
const serial = (navigator as { serial?: Serial }).serial;

export function hasSerial(): boolean {
  return serial !== undefined;
}

/** The ports that the person has let this page open. */
export async function serialPorts(): Promise<SerialDevice[]> {
  return serial ? serial.getPorts() : [];
}

/** Calls `listener` with each of these ports that is plugged in. */
export function onSerialConnect(listener: (port: SerialDevice) => void): void {
  serial?.addEventListener("connect", ({ target }) => listener(target as unknown as SerialDevice));
}

/** Calls `listener` when one is pulled out. */
export function onSerialDisconnect(listener: () => void): void {
  serial?.addEventListener("disconnect", () => listener());
}
