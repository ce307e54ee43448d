/** The page's ways to connect to a board, and explanations where one is unavailable. */

import type { SerialDevice } from "flylead";
import { element, make, onPress } from "../../ui/dom.ts";
import { keep, recall } from "../../storage/storage.ts";
import { askWhether } from "../../ui/dialog.ts";
import { browserTransport, eraseKeptFiles, hasKeptFiles } from "./page-board/transport.ts";
import { texts } from "../../texts/board.ts";
import { showError } from "../../ui/toast.ts";
import { hasSerial, onSerialConnect, onSerialDisconnect, serialPorts } from "./serial.ts";
import { nameOfShared, serialName, serialTransport, servedTransport, sharedBoards, socketTransport, type Transport } from "./transports.ts";
import "./connect.css";

/**
 * Offers the transports to the board with this `number`; returns a function that updates the offers, for when a port
 * may have become free.
 */
export function offerTransports(take: (transport: Transport) => void, number: () => number): () => void {
  const offers = [offerBrowser(take, number), offerShared(take)];
  offerSocket(take);
  if (hasSerial()) offers.push(offerSerial(take));
  else explainSerial();
  return () => offers.forEach((offer) => offer());
}

/** Offers the board in the page, as it was left or empty. */
function offerBrowser(take: (transport: Transport) => void, number: () => number): () => void {
  onPress("connect-browser", () => take(browserTransport()));
  onPress("erase-browser", () => void startOver());
  const draw = () => void hasKeptFiles(number()).then((has) => (element("erase-browser").hidden = !has));
  draw();
  return draw;

  async function startOver(): Promise<void> {
    const sure = await askWhether(texts.startOver, texts.startOverExplained, texts.startOverAction);
    if (sure) await eraseKeptFiles(number()).then(() => take(browserTransport()), showError);
  }
}

/** Offers the boards that the computer serving this page shares among its tools. */
function offerShared(take: (transport: Transport) => void): () => void {
  const draw = () => void drawShared(take).catch(() => (element("shared").hidden = true));
  draw();
  return draw;
}

async function drawShared(take: (transport: Transport) => void): Promise<void> {
  const boards = await sharedBoards();
  element("shared").hidden = boards.length === 0;
  const buttons = boards.map((board) => {
    const button = make("button", nameOfShared(board), "primary");
    button.addEventListener("click", () => take(servedTransport(board)!));
    return button;
  });
  element("shared-boards").replaceChildren(...buttons);
}

function offerSerial(take: (transport: Transport) => void): () => void {
  onPress("connect-serial", () => take(serialTransport()));
  const draw = () => void drawKnownPorts(take);
  onSerialConnect(draw);
  onSerialDisconnect(draw);
  draw();
  return draw;
}

/** Offers ports that were allowed before, which need no chooser; open ones are already connected. */
async function drawKnownPorts(take: (transport: Transport) => void): Promise<void> {
  const ports = (await serialPorts()).filter((port) => port.getInfo().usbVendorId !== undefined && !port.readable);
  element("known-ports").replaceChildren(...ports.map((port) => portButton(port, take)));
}

function portButton(port: SerialDevice, take: (transport: Transport) => void): HTMLButtonElement {
  const button = make("button", serialName(port), "primary");
  button.addEventListener("click", () => take(serialTransport(port)));
  return button;
}

/** Lists browsers with Web Serial, rather than just reporting that it is unsupported. */
function explainSerial(): void {
  element("connect-serial").hidden = true;
  element("usb-hint").textContent = isSecureContext ? texts.noSerial : texts.noSerialHere;
}

function offerSocket(take: (transport: Transport) => void): void {
  if (location.protocol === "https:") explainMixedContent();
  const address = element<HTMLInputElement>("socket-address");
  const password = element<HTMLInputElement>("socket-password");
  address.value = recall(ADDRESS) ?? "";
  element("socket-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keep(ADDRESS, address.value);
    take(socketTransport(address.value, password.value));
  });
}

function explainMixedContent(): void {
  element("socket-hint").textContent = texts.mixedContent;
}

const ADDRESS = "address";
