/** The run that a device is recording, with the values that it reports meanwhile. */

import type { Board } from "../../boards/boards.ts";
import { Lines, numbersIn } from "../../run/plot/numbers.ts";
import { isConnected } from "../../boards/connection/state.ts";
import { texts } from "../../texts/tools/experiments.ts";
import { counted } from "../../texts/index.ts";
import { endRecording } from "../../boards/port-state.ts";
import { isRefusal, portOf } from "./device.ts";

export interface RecordingOptions {
  element: HTMLElement;
  /** Called with the reason when the recording has ended unasked. */
  failed: (why: string) => void;
}

export class Recording {
  readonly board: Board;
  readonly runId: string;
  readonly #options: RecordingOptions;
  readonly #lines = new Lines();
  readonly #decoder = new TextDecoder();
  readonly #began = performance.now();
  readonly #timer = setInterval(() => this.#draw(), SECOND);
  #values = new Map<string, number>();
  #isOver = false;

  constructor(board: Board, runId: string, options: RecordingOptions) {
    this.board = board;
    this.runId = runId;
    this.#options = options;
    options.element.hidden = false;
    this.#draw();
  }

  /** Takes output of a board. */
  hear(board: Board, data: Uint8Array | string): void {
    if (board !== this.board || this.#isOver) return;
    const text = typeof data === "string" ? data : this.#decoder.decode(data, { stream: true });
    for (const line of this.#lines.push(text)) this.#take(line.trim());
  }

  #take(line: string): void {
    if (isRefusal(line)) {
      endRecording(portOf(this.board.session));
      return this.#fail(texts.ended({ line }));
    }
    const values = numbersIn(line.replace(/^LIVE\s+/, ""));
    if (!values) return;
    this.#values = values;
    this.#draw();
  }

  #draw(): void {
    const { element } = this.#options;
    if (!isConnected(this.board.session.state)) return this.#fail(texts.lost({ run: this.runId }));
    const values = [...this.#values].filter(([name]) => name !== ROWS);
    const rows = this.#values.get(ROWS);
    const seconds = Math.floor((performance.now() - this.#began) / SECOND);
    put(".id", this.runId);
    put(".time", `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`);
    put(".rows", rows === undefined ? "" : counted(texts.rows, rows));
    put(".values", values.map(([name, value]) => `${name} ${value}`).join("  "));

    function put(selector: string, text: string): void {
      element.querySelector(selector)!.textContent = text;
    }
  }

  #fail(why: string): void {
    if (this.#isOver) return;
    this.end();
    this.#options.failed(why);
  }

  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#options.element.hidden = true;
  }
}

const SECOND = 1000;
/** Name of the number of rows in a device's answer. */
const ROWS = "rows";
