// Inputs of the drawn board: cells that its worker reads while a program runs, if memory can be shared. A pin's cell
// counts how often its button went down or up, so that no press is missed; the others hold the current values.

const PINS = 64;
const FIRST = { button: 1, slider: 1 + PINS, temperature: 1 + 2 * PINS, humidity: 2 + 2 * PINS };
const CELLS = 3 + 2 * PINS;
const LIMITS = { button: 1, slider: 65535, temperature: 1250, humidity: 1000 };
/** A slider in its middle position, and room air, in tenths. */
const INITIAL = { slider: 32768, temperature: 215, humidity: 450 };

export class Inputs {
  #cells;

  constructor(buffer = newBuffer()) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Returns the number of changes so far. */
  get changes() {
    return Atomics.load(this.#cells, 0);
  }

  at(cell) {
    return cell > 0 && cell < CELLS ? Atomics.load(this.#cells, cell) : 0;
  }

  /** Sets an input, within its limits; returns true if it exists. */
  set({ kind, pin = 0, value }) {
    const isPin = Number.isInteger(pin) && pin >= 0 && pin < PINS;
    if (!Object.hasOwn(LIMITS, kind) || !isPin || !Number.isFinite(value)) return false;
    const cell = FIRST[kind] + (kind === "button" || kind === "slider" ? pin : 0);
    const wanted = Math.max(kind === "temperature" ? -400 : 0, Math.min(LIMITS[kind], Math.round(value)));
    if (kind !== "button") Atomics.store(this.#cells, cell, wanted);
    else if ((this.at(cell) & 1) !== wanted) Atomics.add(this.#cells, cell, 1);
    Atomics.add(this.#cells, 0, 1);
    return true;
  }
}

function newBuffer() {
  const isShared = typeof SharedArrayBuffer !== "undefined" && (globalThis.crossOriginIsolated ?? typeof Worker === "undefined");
  const buffer = new (isShared ? SharedArrayBuffer : ArrayBuffer)(CELLS * Int32Array.BYTES_PER_ELEMENT);
  const cells = new Int32Array(buffer);
  cells.fill(INITIAL.slider, FIRST.slider, FIRST.slider + PINS);
  cells[FIRST.temperature] = INITIAL.temperature;
  cells[FIRST.humidity] = INITIAL.humidity;
  return buffer;
}
