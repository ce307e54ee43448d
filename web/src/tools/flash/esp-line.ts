/** The serial line to an ESP's boot ROM, for esptool-js. */

import type { SerialDevice } from "flylead";
import { Transport } from "esptool-js";
import { texts } from "../../texts/tools/flash.ts";
import { sleep, within } from "../../time.ts";

/** esptool-js's line, with a deadline for each wait, and for ports without control lines, too. */
export class EspLine extends Transport {
  #hasLines = true;
  #hasEnded = false;

  constructor(port: SerialDevice) {
    super(port as unknown as ConstructorParameters<typeof Transport>[0]);
  }

  /** False once the port has refused to set RTS or DTR: only a person can press the chip's buttons. */
  get hasLines(): boolean {
    return this.#hasLines;
  }

  /** Writes nothing to the console, unlike esptool-js. */
  override trace(): void {}

  override write(data: Uint8Array): Promise<void> {
    return within(WRITE_MS, super.write(data), texts.stalled);
  }

  override setRTS(state: boolean): Promise<void> {
    return this.#set(() => super.setRTS(state));
  }

  override setDTR(state: boolean): Promise<void> {
    return this.#set(() => super.setDTR(state));
  }

  override setSignals(dtr?: boolean, rts?: boolean, breakSignal?: boolean): Promise<void> {
    return this.#set(() => super.setSignals(dtr, rts, breakSignal));
  }

  override disconnect(): Promise<void> {
    return within(CLOSE_MS, super.disconnect(), texts.stalled);
  }

  override async waitForUnlock(pause: number): Promise<void> {
    const { device } = this;
    for (const deadline = performance.now() + CLOSE_MS; device.readable?.locked || device.writable?.locked; await sleep(pause)) {
      if (performance.now() > deadline) throw new Error(texts.stalled);
    }
  }

  /** Closes the port, which may be unplugged already. From then on the port may be somebody else's. */
  async end(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    await this.disconnect().catch(() => undefined);
  }

  /**
   * Presses the chip's reset button (esptool 5, esptool/reset.py, `HardReset`). The one of esptool-js 0.7 only releases
   * RTS, and never asserts it.
   */
  async pressReset(): Promise<void> {
    await this.setDTR(false);
    await this.setRTS(true);
    await sleep(RESET_MS);
    await this.setRTS(false);
    await sleep(RESET_MS);
  }

  async #set(work: () => Promise<void>): Promise<void> {
    if (!this.#hasLines || this.#hasEnded) return;
    await work().catch(() => (this.#hasLines = false));
  }
}

/** More than any USB adapter keeps bytes for. */
const WRITE_MS = 10_000;
const CLOSE_MS = 5_000;
/** Long enough for chips with USB of their own, too. */
const RESET_MS = 200;
