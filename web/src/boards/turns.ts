/** Runs pieces of work one after the other, in the order of their requests. */

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs work once all earlier work has ended, whether it succeeded or not. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Waits for all work requested so far. */
  async present(): Promise<void> {
    await this.#last;
  }

  /** Waits for all work, including work requested meanwhile. */
  async over(): Promise<void> {
    let last;
    do await (last = this.#last);
    while (last !== this.#last);
  }
}
