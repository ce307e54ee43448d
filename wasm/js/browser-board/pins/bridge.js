// Bridge between the Python of `machine` and the drawing: a program shows values under names, reads cells, and has one
// function that is called whenever a timer is due or an input has changed.

import { Changes } from "./changes.js";

/**
 * Kinds of parts, each with its possible values, as in `out:25` and `1`. Nothing else leaves the worker, and the page
 * accepts nothing else. `""` stands for a removed part.
 */
const SHOWN = {
  out: /^[01]$/,
  pwm: /^\d{1,5},\d{1,8}$/,
  in: /^(?:up|down)$/,
  adc: /^1$/,
  touch: /^1$/,
  dht: /^1$/,
  ds: /^1$/,
  neo: /^(?:[\da-f]{6}){1,512}$/,
  oled: /^(?:off|on)[in],(?:[1-9]|[1-5]\d|6[0-4]),(?:[\da-f]{2}){0,1024}$/,
};
const KEY = /^(?:(?:out|pwm|in|adc|touch|dht|ds|neo):(?:\d|[1-5]\d|6[0-3])|oled:3c)$/;
/** Limit of parts: more than the number of pins. */
export const MOST = 128;
// A program may blink faster than anything can be drawn.
const EVERY = 16;
/** Results of the function that attends, if they are not the milliseconds until its next call. */
export const CUT_OFF = -2;
export const RESET = -3;
/** Time until the function is called again after a failure, in milliseconds. */
const AFTER_FAILURE = 1000;

/** Returns true for valid changes of the drawing from a board. */
export function arePins(changes) {
  return Array.isArray(changes) && changes.length <= 2 * MOST && changes.every((one) => Array.isArray(one) && one.length === 2 && isPart(...one));
}

function isPart(key, value) {
  return typeof key === "string" && typeof value === "string" && KEY.test(key) && (value === "" || SHOWN[key.split(":")[0]].test(value));
}

export class Bridge {
  #post;
  #inputs;
  #say;
  #attend;
  #seen = 0;
  #dueAt = Infinity;
  /** Existing parts. */
  #known = new Set();
  #changes = new Changes();
  #sentAt = 0;

  /** `say` prints a line. */
  constructor(inputs, post, say) {
    this.#inputs = inputs;
    this.#post = post;
    this.#say = say;
  }

  /** Returns the functions for the program. */
  get members() {
    return {
      show: (key, value) => this.#show(key, value),
      cell: (at) => this.#inputs.at(at),
      attend: (work) => void (this.#attend = work),
      due: (millis) => void (this.#dueAt = millis < 0 ? Infinity : performance.now() + millis),
    };
  }

  /** Forgets an interpreter: the drawing is cleared. */
  clear() {
    this.#attend = undefined;
    this.#dueAt = Infinity;
    this.#known.clear();
    this.#changes.clear();
    this.#seen = this.#inputs.changes;
  }

  /** Returns the milliseconds until the function has to be called. */
  untilDue(now) {
    if (!this.#attend) return Infinity;
    return this.#inputs.changes === this.#seen ? Math.max(0, this.#dueAt - now) : 0;
  }

  /**
   * Calls the function; returns {@link CUT_OFF} if Ctrl-C has ended it, {@link RESET} if the board has to restart.
   * Throws nothing.
   */
  attend() {
    const hasInput = this.#inputs.changes !== this.#seen;
    this.#seen = this.#inputs.changes;
    this.#dueAt = Infinity;
    const next = this.#called(hasInput);
    const wait = next === CUT_OFF ? EVERY : next;
    this.#dueAt = wait < 0 ? Infinity : performance.now() + wait;
    return next;
  }

  /**
   * Catches everything that the function lets through: there may be no memory for its own handlers, and Ctrl-C may come
   * at any moment.
   */
  #called(hasInput) {
    try {
      return this.#attend(hasInput);
    } catch (error) {
      if (error?.type === "KeyboardInterrupt") return CUT_OFF;
      if (error?.type === "SystemExit") return RESET;
      this.#say(String(error?.message ?? error));
      return AFTER_FAILURE;
    }
  }

  /** Takes a change of an input if no memory is shared. */
  take(input) {
    this.#inputs.set(input);
  }

  /** Sends new changes if it is time. */
  breathe(now) {
    if (this.#changes.size > 0 && now - this.#sentAt >= EVERY) this.flush(now);
  }

  flush(now) {
    if (this.#changes.size === 0) return;
    this.#post({ type: "pins", changes: this.#changes.take() });
    this.#sentAt = now;
  }

  #show(key, value) {
    if (!isPart(key, value) || (!this.#known.has(key) && (value === "" || this.#known.size >= MOST))) return;
    value === "" ? this.#known.delete(key) : this.#known.add(key);
    this.#changes.note(key, value);
  }
}
