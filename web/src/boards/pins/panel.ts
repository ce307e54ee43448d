/** Draws a board and the parts that a program uses, each as one element that exists as long as the part. */

import { Component } from "../../ui/component.ts";
import { make } from "../../ui/dom.ts";
import { type Machine, settings } from "../../storage/settings.ts";
import { texts as said } from "../../texts/board.ts";
import { texts } from "../../texts/pins.ts";
import { Board } from "./board.ts";
import "./panel.css";
import { type Input, makePart, type Part } from "./parts.ts";

/** Parts of one board, and state of that board alone. */
export interface Drawing {
  /** Parts with their values. */
  readonly parts: Map<string, string>;
  /** Positions of sliders, which stay when a program is rerun: the board keeps them, too. */
  readonly positions: Map<string, number>;
  readonly machine: Machine;
  /** Receiver of a person's input to a part. */
  readonly input: Input;
}

export interface PinsOptions {
  /** Turns the board into another machine. */
  become: (machine: Machine) => void;
}

export class PinsPanel extends Component {
  readonly #parts = new Map<string, Part>();
  readonly #place = make("div", "", "parts");
  readonly #hint = make("p", texts.hint, "hint");
  readonly #machine = make("select");
  #board: Board;
  #drawing: Drawing | undefined;

  constructor(parent: HTMLElement, options: PinsOptions) {
    super(parent, "");
    this.#board = new Board(settings().machine);
    this.#machine.append(new Option(texts.pico, "pico"), new Option(texts.esp32, "esp32"));
    this.#machine.title = said.becomeExplained;
    this.on(this.#machine, "change", () => options.become(this.#machine.value as Machine));
    const like = make("label", `${texts.like} `, "like");
    like.append(this.#machine);
    const side = make("div", "", "board-side");
    side.append(like, this.#board.element);
    this.#place.append(this.#hint);
    parent.append(side, this.#place);
  }

  /** Draws this board instead of another one. */
  show(drawing: Drawing): void {
    if (drawing !== this.#drawing) for (const name of [...this.#parts.keys()]) this.#remove(name);
    this.#drawing = drawing;
    this.#showMachine(drawing.machine);
    this.#board.show(drawing.parts);
    this.update(drawing, [...this.#parts.keys(), ...drawing.parts.keys()]);
  }

  /** Redraws these parts of the board. */
  update(drawing: Drawing, names: readonly string[]): void {
    if (drawing !== this.#drawing) return this.show(drawing);
    if (names.some((name) => this.#board.has(name))) this.#board.show(drawing.parts);
    for (const name of new Set(names)) {
      const value = this.#board.has(name) ? undefined : drawing.parts.get(name);
      value === undefined ? this.#remove(name) : this.#part(name, drawing).show(value);
    }
    this.#hint.hidden = this.#parts.size > 0;
  }

  /** Releases all held parts. */
  release(): void {
    for (const part of this.#parts.values()) part.release?.();
  }

  #remove(name: string): void {
    const part = this.#parts.get(name);
    part?.release?.();
    part?.element.remove();
    this.#parts.delete(name);
  }

  #showMachine(machine: Machine): void {
    this.#machine.value = machine;
    if (machine === this.#board.machine) return;
    const next = new Board(machine);
    this.#board.element.replaceWith(next.element);
    this.#board = next;
  }

  #part(name: string, drawing: Drawing): Part {
    const known = this.#parts.get(name);
    if (known) return known;
    const part = makePart(name, drawing, this.signal);
    part.element.dataset.part = name;
    this.#parts.set(name, part);
    this.#place.append(part.element);
    return part;
  }
}
