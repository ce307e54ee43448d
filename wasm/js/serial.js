// Web Serial: choosing, opening and losing ports. DTR and RTS are never touched: many boards reset on them.

import { named } from "./errors.js";

const BAUD_RATE = 115_200;
// The browser's own default of 255 bytes makes a download ten times slower.
const BUFFER_SIZE = 64 * 1024;

export function hasSerial() {
  return globalThis.navigator?.serial !== undefined;
}

export async function openSerial({ port, filters, baudRate = BAUD_RATE, bufferSize = BUFFER_SIZE } = {}) {
  const chosen = port ?? (await choose(filters));
  try {
    await chosen.open({ baudRate, bufferSize });
  } catch (error) {
    throw named("LinkError", openMessage(error), error);
  }
  return new SerialLink(chosen);
}

export async function serialPorts(filters) {
  if (!hasSerial()) return [];
  const ports = await navigator.serial.getPorts();
  return ports.filter((port) => matches(port.getInfo(), filters));
}

export function onSerialConnect(listener) {
  return listen("connect", listener);
}

export function onSerialDisconnect(listener) {
  return listen("disconnect", listener);
}

/** An open port. Its streams are asked for anew each time: the browser replaces them after an error. */
class SerialLink {
  constructor(port) {
    this.port = port;
    this.label = label(port.getInfo());
  }

  get readable() {
    return this.port.readable;
  }

  get writable() {
    return this.port.writable;
  }

  /** A port that was pulled out is closed already, and refuses. */
  async close() {
    await this.port.close().catch(() => {});
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }
}

async function choose(filters) {
  if (!hasSerial()) {
    throw named("UnsupportedError", "this browser has no Web Serial here; use Chrome, Edge or Firefox from 151 on, on a computer, over https or localhost");
  }
  try {
    return await navigator.serial.requestPort(filters ? { filters } : {});
  } catch (error) {
    if (error.name === "NotFoundError") throw named("CancelledError", "no port was chosen", error);
    throw named("LinkError", "the browser did not let this page ask for a port", error);
  }
}

function openMessage(error) {
  if (error.name === "InvalidStateError") return "the port is open already";
  return "the port could not be opened; another program or page may be using it";
}

function listen(type, listener) {
  if (!hasSerial()) return () => {};
  // The event's target is the port, and it bubbles up to `navigator.serial`.
  const tell = (event) => listener(event.target);
  navigator.serial.addEventListener(type, tell);
  return () => navigator.serial.removeEventListener(type, tell);
}

function matches(info, filters) {
  if (!filters?.length) return true;
  return filters.some(
    ({ usbVendorId, usbProductId }) =>
      (usbVendorId === undefined || usbVendorId === info.usbVendorId) &&
      (usbProductId === undefined || usbProductId === info.usbProductId),
  );
}

function label({ usbVendorId, usbProductId }) {
  if (usbVendorId === undefined) return "Web Serial";
  return `Web Serial ${hex(usbVendorId)}:${hex(usbProductId ?? 0)}`;
}

function hex(id) {
  return id.toString(16).padStart(4, "0");
}
