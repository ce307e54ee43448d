/** Dialog that flashes firmware: the board, the file for it, and the writing. */

import type { SerialDevice } from "flylead";
import type { Board, Boards } from "../../boards/boards.ts";
import { unlessDismissed } from "../../places/computer.ts";
import { showDialog } from "../../ui/dialog.ts";
import { make } from "../../ui/dom.ts";
import { hasFolders } from "../../places/folder.ts";
import { sizeOf } from "../../places/place.ts";
import { Transfers } from "../../places/transfers.ts";
import { hasSerial, serialPorts } from "../../boards/connection/serial.ts";
import { isConnected } from "../../boards/connection/state.ts";
import { texts } from "../../texts/tools/flash.ts";
import { filled } from "../../texts/index.ts";
import { noticesIn } from "../notices.ts";
import { isAlike, serialName, serialTransport, type Transport } from "../../boards/connection/transports.ts";
import html from "./dialog.html?raw";
import "../../ui/style/facts.css";
import "./dialog.css";
import { choosePort } from "./port.ts";
import { sleep } from "../../time.ts";
import type { Target } from "./target.ts";

/** Opens the dialog, for the board in front if it was lost; `connect` connects to the new firmware. */
export function openFlashing(boards: Boards, connect: (transport: Transport, board: Board) => Promise<void>): void {
  const board = boards.current;
  const lost = board.session.state.kind === "lost" ? board.session.transport?.port : undefined;
  const content = make("div", "", "content");
  content.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => content.querySelector<T>(selector)!;
  const { attempt, say } = noticesIn(content);
  const life = new AbortController();
  const transfers = new Transfers(life.signal);
  const field = find<HTMLInputElement>("input[type=file]");
  let target: Target | undefined;
  let chosen: Uint8Array<ArrayBuffer> | undefined;
  let isBusy = false;
  let isWriting = false;
  content.append(transfers.element);
  const acts: Record<string, () => Promise<void>> = {
    port: async () => useSerial(await choosePort().finally(drawPorts)),
    drive: async () => useDrive(await unlessDismissed(window.showDirectoryPicker({ mode: "readwrite" }))),
    file: async () => field.click(),
    write: flash,
  };
  for (const button of content.querySelectorAll<HTMLElement>("[data-do]")) button.addEventListener("click", () => act(acts[button.dataset.do!]!));
  field.addEventListener("change", () => act(takeFile));
  content.addEventListener("keydown", (event) => event.key === "Enter" && event.target instanceof HTMLInputElement && event.preventDefault()); // It would close the dialog.
  addEventListener("beforeunload", (event) => isWriting && event.preventDefault(), { signal: life.signal });
  void showDialog(texts.title, content, "listing flash").then(end);
  const dialog = content.closest("dialog")!;
  // Writing is ended by its own button, and not in passing.
  for (const leaving of ["cancel", "submit"]) dialog.addEventListener(leaving, (event) => isWriting && event.preventDefault());
  explain();
  draw();
  void drawPorts();
  if (lost) act(() => useSerial(lost));

  /** Does one thing at a time. */
  function act(work: () => Promise<void>): void {
    if (isBusy) return;
    isBusy = true;
    for (const button of content.querySelectorAll<HTMLElement>(".acts button")) button.ariaDisabled = "true";
    void attempt(work).finally(() => {
      isBusy = false;
      for (const button of content.querySelectorAll<HTMLElement>(".acts button")) button.ariaDisabled = "false";
    });
  }

  function explain(): void {
    find("[data-do=port]").hidden = !hasSerial();
    find("[data-do=drive]").hidden = !hasFolders();
    if (!hasSerial()) find("[data-of=port]").textContent = texts.noPorts;
    if (!hasFolders()) find("[data-of=drive]").textContent = texts.noDrives;
  }

  /** Offers the ports that were allowed before, which need no chooser. */
  async function drawPorts(): Promise<void> {
    const known = (await serialPorts()).filter((one) => one.getInfo().usbVendorId !== undefined);
    find(".ports").replaceChildren(...known.map((one) => {
      const button = make("button", serialName(one));
      button.type = "button";
      button.addEventListener("click", () => act(() => useSerial(one)));
      return button;
    }));
  }

  function draw(): void {
    for (const part of content.querySelectorAll<HTMLElement>("[data-of=target]")) part.hidden = !target;
    find("[data-of=write]").hidden = !target || !chosen;
    find(".chosen").hidden = !chosen;
    if (!target) return;
    find(".target strong").textContent = target.name;
    find<HTMLAnchorElement>(".target a").href = target.download;
    find("[data-do=file]").textContent = texts.chooseFile({ suffix: target.suffix });
    field.accept = target.suffix;
    find("[data-of=erase]").hidden = !target.erases;
  }

  async function useSerial(wanted: SerialDevice | undefined): Promise<void> {
    if (!wanted) return;
    await forget();
    // A board of this page has the port, or is at it.
    await Promise.all(boards.all.filter(({ session }) => session.transport?.port === wanted).map(({ session }) => session.disconnect()));
    await use(async () => (await import("./esp.ts")).openEsp(wanted));
  }

  async function useDrive(drive: FileSystemDirectoryHandle | undefined): Promise<void> {
    if (!drive) return;
    await forget();
    await use(async () => (await import("./drive.ts")).openDrive(drive));
  }

  async function use(open: () => Promise<Target>): Promise<void> {
    say(texts.asking);
    try {
      target = await open();
    } finally {
      say("");
    }
    if (life.signal.aborted) return forget();
    draw();
    find("[data-do=file]").focus();
  }

  async function takeFile(): Promise<void> {
    const file = field.files?.[0];
    field.value = "";
    chosen = undefined;
    draw();
    if (!file || !target) return;
    if (file.size > LARGEST) throw new Error(texts.tooBig({ file: file.name, limit: sizeOf(LARGEST) }));
    const bytes = new Uint8Array(await file.arrayBuffer());
    await target.check(bytes);
    chosen = bytes;
    find(".chosen").textContent = texts.fits({ file: file.name, size: sizeOf(file.size) });
    draw();
    find("[data-do=write]").focus();
  }

  async function flash(): Promise<void> {
    const [to, bytes] = [target!, chosen!];
    const erase = to.erases && find<HTMLInputElement>("[name=erase]").checked;
    say("");
    isWriting = true;
    try {
      const whole = await transfers.run(texts.writing, async (report, signal) => {
        const step = (done: number) => report({ path: to.name, done, total: bytes.length });
        step(0);
        const written = await to.write(bytes, { erase, report: step, say, signal });
        say(written.said);
        if (written.port) await takeUp(written.port);
      });
      if (!whole) say(texts.stopped);
    } catch (error) {
      say("");
      throw error;
    } finally {
      isWriting = false;
      // It is another board now, or needs another start of its boot loader.
      await forget();
    }
  }

  /** Connects to the new firmware, once its port is there: a chip with USB of its own leaves it when it restarts. */
  async function takeUp(at: SerialDevice): Promise<void> {
    for (const deadline = performance.now() + BACK_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
      const ports = await serialPorts();
      const back = ports.includes(at) ? at : ports.find((one) => !one.readable && isAlike(one, at));
      if (back) return connect(serialTransport(back), board);
    }
    say(texts.otherPort);
  }

  async function forget(): Promise<void> {
    const before = target;
    target = chosen = undefined;
    draw();
    await before?.close();
  }

  /** Ends what is under way when the dialog is closed, and lets the board go. */
  function end(): void {
    life.abort();
    void forget();
    if (isConnected(board.session.state)) void board.terminal().then((terminal) => terminal.focus());
  }
}

/** Size limit of a file, in bytes: more than any board's flash. */
const LARGEST = 64 << 20;
/** Time for a board to be back after its restart. */
const BACK_MS = 10_000;
const LOOK_MS = 250;
