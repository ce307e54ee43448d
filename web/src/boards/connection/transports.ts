/** Transports to a board. Reconnecting means opening one again. */

import type { OpenLink, SerialDevice, SerialLink, SocketOptions } from "flylead";
import { partsOf } from "../../ui/address.ts";
import type { Drawn } from "../terminal/screen.ts";
import { serialPorts } from "./serial.ts";
import { texts } from "../../texts/board.ts";

export interface Transport {
  /** Name of this board, given by the user. */
  readonly name: string;
  /** Id that distinguishes this transport, for a board that cannot identify itself. */
  readonly id: string;
  /** Opens the link; a later call opens the same board without asking again. */
  open(hooks: Hooks): Promise<OpenLink>;
  /** Serial port, once opened: its USB ids identify a board that is plugged in again. */
  readonly port?: SerialDevice | undefined;
  /** Moves the transport to this port, where the board is now. */
  moveTo?(port: SerialDevice): void;
  /** Rejects the board that was opened last: the next opening looks for another one of its kind. */
  refuse?(): void;
  /** True if the board is in this page, and continues no one else's work. */
  readonly isInPage?: boolean;
}

/** Hooks of a transport: the place of its board, and its reports. */
export interface Hooks {
  /** Place of the board among those of the page, from 1. */
  readonly number: number;
  /** Shows a message on the board's screen. */
  note(text: string): void;
  /** Called when a program awaits input. */
  inputAwaited(): void;
  /** Draws changes of the board. */
  drawn(changes: Drawn): Promise<void>;
}

/** Creates a transport to a board on a USB port: the given one, or one that the user chooses. */
export function serialTransport(port?: SerialDevice): Transport {
  let chosen = port;
  const refused = new Set<SerialDevice>();
  return {
    get name() {
      return chosen ? serialName(chosen) : texts.onUsb;
    },
    get id() {
      return chosen ? `usb:${idsOf(chosen)}` : "usb";
    },
    get port() {
      return chosen;
    },
    moveTo(port) {
      chosen = port;
      refused.delete(port);
    },
    refuse() {
      if (chosen) refused.add(chosen);
    },
    async open(): Promise<SerialLink> {
      const { openSerial } = await import("flylead");
      const link = await openSerial(chosen ? { port: await presentPort(chosen, refused) } : {});
      chosen = link.port;
      return link;
    },
  };
}

/** Returns true if two ports have the same kind of board, as far as a browser reveals it. */
export function isAlike(one: SerialDevice, other: SerialDevice): boolean {
  const [ids, others] = [one.getInfo(), other.getInfo()];
  return ids.usbVendorId === others.usbVendorId && ids.usbProductId === others.usbProductId;
}

/** Returns the port, or the current port of its board: browsers create a new one when a board is plugged in again. */
async function presentPort(port: SerialDevice, refused: ReadonlySet<SerialDevice>): Promise<SerialDevice> {
  const ports = (await serialPorts()).filter((other) => !refused.has(other));
  const present = ports.includes(port) ? port : ports.find((other) => !other.readable && isAlike(port, other));
  if (!present) throw new Error(texts.notPluggedIn({ port: serialName(port) }));
  return present;
}

/** Creates a transport to a board on the network, behind WebREPL or another WebSocket. */
export function socketTransport(address: string, password: string): Transport {
  const url = socketAddress(address);
  return { name: url, id: url, open: () => openLink(url, password ? { password } : {}) };
}

async function openLink(url: string | URL, options?: SocketOptions): Promise<OpenLink> {
  return (await import("flylead")).openSocket(url, options);
}

/** Board shared by `flylead serve --board`. */
export interface SharedBoard {
  /** Address on the serving computer. */
  board: string;
  /** Name given by its owner. */
  name: string | null;
}

/**
 * Returns the token that `flylead serve` printed with the page's address: it gives access to the
 * boards.
 */
function tokenOf(page: Location): string | null {
  return partsOf(page).get("board");
}

/** Returns the currently shared boards, if the page's address gives access to them. */
export async function sharedBoards(page = location): Promise<SharedBoard[]> {
  const token = tokenOf(page);
  if (token === null) return [];
  const answer = await fetch(`boards?${new URLSearchParams({ token })}`);
  return answer.ok ? ((await answer.json()) as SharedBoard[]) : [];
}

/**
 * Creates a transport to one of the shared boards, or to the first one; `undefined` if the page's address gives no
 * access.
 */
export function servedTransport(shared?: SharedBoard, page = location): Transport | undefined {
  const token = tokenOf(page);
  if (token === null) return undefined;
  const { protocol, host } = page;
  const url = new URL(`${protocol === "https:" ? "wss" : "ws"}://${host}/board`);
  if (shared) url.searchParams.set("board", shared.board);
  const id = url.host + url.pathname + url.search;
  url.searchParams.set("token", token);
  return { name: shared ? nameOfShared(shared) : texts.at({ host }), id, open: () => openLink(url).catch(withoutToken) };

  /** Replaces the address in an error's message. It is a secret, because it gives access to the board. */
  function withoutToken(error: unknown): never {
    if (error instanceof Error) error.message = error.message.replaceAll(url.href, texts.theBoardAt({ host }));
    throw error;
  }
}

export function nameOfShared({ board, name }: SharedBoard): string {
  return name ?? board;
}

/** Returns the name of a port: its maker if known, and the USB ids, which are all that a browser reveals. */
export function serialName(port: SerialDevice): string {
  const { usbVendorId } = port.getInfo();
  if (usbVendorId === undefined) return texts.serialPort;
  return `${MAKERS.get(usbVendorId) ?? texts.usbBoard} ${idsOf(port)}`;
}

/** Formats USB ids, such as `2e8a:0005`. */
function idsOf(port: SerialDevice): string {
  const { usbVendorId, usbProductId } = port.getInfo();
  return [usbVendorId ?? 0, usbProductId ?? 0].map((id) => id.toString(16).padStart(4, "0")).join(":");
}

/** Converts an address such as `192.168.4.1`, as people write it, to `ws://192.168.4.1:8266`, as browsers require it. */
export function socketAddress(address: string): string {
  const text = address.trim();
  if (/^wss?:\/\//.test(text)) return text;
  return /:\d+/.test(text) ? `ws://${text}` : `ws://${text}:${WEBREPL_PORT}`;
}

const WEBREPL_PORT = 8266;

const MAKERS: ReadonlyMap<number, string> = new Map([
  [0x2e8a, "Raspberry Pi Pico"],
  [0x303a, "Espressif"],
  [0x10c4, "Silicon Labs UART"],
  [0x1a86, "WCH UART"],
  [0x0403, "FTDI UART"],
  [0xf055, texts.micropythonBoard],
  [0x0d28, "BBC micro:bit"],
  [0x239a, "Adafruit"],
  [0x2341, "Arduino"],
]);
