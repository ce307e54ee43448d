/** One after the other, in the order in which it was asked for. */

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when all that was asked for before is over, whatever became of it. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Waits for what was asked for until now. */
  async present(): Promise<void> {
    await this.#last;
  }

  /** Waits until all of it is over, what is asked for meanwhile as well. */
  async over(): Promise<void> {
    let last;
    do await (last = this.#last);
    while (last !== this.#last);
  }
}
