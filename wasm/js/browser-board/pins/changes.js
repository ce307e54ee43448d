// Changes of what is drawn, gathered until they can be told.

export class Changes {
  /** Parts that whoever is told knows of. */
  #told = new Set();
  #changed = new Map();

  get size() {
    return this.#changed.size;
  }

  note(part, value) {
    value !== "" || this.#told.has(part) ? this.#changed.set(part, value) : this.#changed.delete(part);
  }

  /** Nothing is drawn any more. */
  clear() {
    this.#changed = new Map([...this.#told].map((part) => [part, ""]));
  }

  /** Returns what is to be told, and counts it as told. */
  take() {
    const changes = [...this.#changed];
    for (const [part, value] of changes) value === "" ? this.#told.delete(part) : this.#told.add(part);
    this.#changed.clear();
    return changes;
  }
}
