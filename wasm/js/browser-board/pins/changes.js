// Changes of the drawing, gathered until they can be sent.

export class Changes {
  /** Parts known to the receiver. */
  #told = new Set();
  #changed = new Map();

  get size() {
    return this.#changed.size;
  }

  note(part, value) {
    value !== "" || this.#told.has(part) ? this.#changed.set(part, value) : this.#changed.delete(part);
  }

  /** Clears the drawing. */
  clear() {
    this.#changed = new Map([...this.#told].map((part) => [part, ""]));
  }

  /** Returns the changes to send, and counts them as sent. */
  take() {
    const changes = [...this.#changed];
    for (const [part, value] of changes) value === "" ? this.#told.delete(part) : this.#told.add(part);
    this.#changed.clear();
    return changes;
  }
}
