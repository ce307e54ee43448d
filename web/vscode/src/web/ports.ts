/** Boards that the browser lets the editor open: Web Serial's ports, and WebREPLs by their addresses. */

import { hasSerial, openSerial, openSocket, type OpenLink, type SerialDevice, serialPorts, type UsbIds } from "flylead";
import * as vscode from "vscode";
import type { Board } from "../boards";

/** USB vendors whose chips are on boards. */
const KNOWN: Readonly<Record<number, string>> = {
  0x0403: "FTDI",
  0x10c4: "Silicon Labs",
  0x1a86: "WCH",
  0x0d28: "micro:bit",
  0x2341: "Arduino",
  0x239a: "Adafruit",
  0x2886: "Seeed Studio",
  0x2e8a: "Raspberry Pi",
  0x303a: "Espressif",
  0xf055: "MicroPython",
};

/** Returns the boards at ports that the person has chosen once. */
export async function granted(): Promise<Board[]> {
  return [...(await ports()).keys()].map((address) => {
    const [, vendor = "", number = ""] = address.match(/^serial:(\w+):\w+#(\d+)$/) ?? [];
    const maker = KNOWN[Number.parseInt(vendor, 16)] ?? "Serial port";
    return { address, name: number === "1" ? maker : `${maker} (${number})`, about: address.replace(/^serial:|#\d+$/g, "") };
  });
}

/** Asks the person for a port; the editor's own page does so, for an extension has none. */
export async function request(): Promise<void> {
  if (!hasSerial()) throw new Error("This browser has no Web Serial: use Chrome or Edge, or name a WebREPL in the setting flylead.addresses.");
  const chosen = await vscode.commands.executeCommand<UsbIds | undefined>("workbench.experimental.requestSerialPort");
  if (!chosen) throw new vscode.CancellationError();
}

/** Opens the link to a board. */
export async function open(address: string): Promise<OpenLink> {
  if (/^wss?:/.test(address)) {
    const at = new URL(address);
    const password = decodeURIComponent(at.password);
    at.username = at.password = "";
    return openSocket(at.href, password === "" ? {} : { password });
  }
  const port = (await ports()).get(address);
  if (!port) throw new Error("The board is not plugged in.");
  return openSerial({ port });
}

/** Ports by their addresses: the USB ids, and a number for those with equal ones. */
async function ports(): Promise<Map<string, SerialDevice>> {
  const found = new Map<string, SerialDevice>();
  if (!hasSerial()) return found;
  for (const port of await serialPorts()) {
    const { usbVendorId = 0, usbProductId = 0 } = port.getInfo();
    const ids = [usbVendorId, usbProductId].map((id) => id.toString(16).padStart(4, "0")).join(":");
    let number = 1;
    while (found.has(`serial:${ids}#${number}`)) number += 1;
    found.set(`serial:${ids}#${number}`, port);
  }
  return found;
}
