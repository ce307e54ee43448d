/** The transfer in progress: its name, amount and speed, and a button that cancels it. */

import { make } from "../ui/dom.ts";
import { sizeOf } from "./place.ts";
import type { Step } from "./copy.ts";
import { texts } from "../texts/common.ts";
import "./transfer.css";

export class Transfers {
  readonly element = make("div", "", "transfer");
  readonly #text = make("span", "", "what");
  readonly #rate = make("span", "", "rate");
  readonly #bar = make("progress");
  readonly #cancel = make("button", texts.cancel, "quiet");
  #controller: AbortController | undefined;

  /** Aborts pending transfers with `signal`. */
  constructor(signal?: AbortSignal) {
    signal?.addEventListener("abort", () => this.#controller?.abort());
    this.element.hidden = true;
    this.#bar.ariaLabel = texts.transfer;
    this.#cancel.type = "button"; // In a form it would be what sends that.
    this.#cancel.addEventListener("click", () => this.#controller?.abort());
    this.element.append(this.#text, this.#bar, this.#rate, this.#cancel);
  }

  /**
   * Shows `work` while it lasts; returns true if it was completed. Its exceptions are passed on, except for a
   * cancellation.
   */
  async run(verb: string, work: (report: (step: Step) => void, signal: AbortSignal) => Promise<void>): Promise<boolean> {
    if (this.#controller) throw new Error(texts.anotherTransfer);
    const controller = (this.#controller = new AbortController());
    const began = performance.now();
    this.#show({ path: "", done: 0, total: 0 }, verb, began);
    this.element.hidden = false;
    try {
      await work((step) => this.#show(step, verb, began), controller.signal);
      return true;
    } catch (error) {
      if (controller.signal.aborted) return false;
      throw error;
    } finally {
      this.element.hidden = true;
      this.#controller = undefined;
    }
  }

  #show({ path, done, total }: Step, verb: string, began: number): void {
    this.#text.textContent = `${verb} ${path}`;
    this.#bar.max = Math.max(total, 1);
    this.#bar.value = total > 0 ? done : 0;
    const seconds = (performance.now() - began) / 1000;
    this.#rate.textContent = seconds > RATE_AFTER_S ? `${Math.floor((100 * done) / Math.max(total, 1))} % · ${sizeOf(Math.round(done / seconds))}/s` : "";
  }
}

/** Minimum time for a meaningful rate. */
const RATE_AFTER_S = 0.2;
