/** Part of the page with a lifetime: it is created in an element, and removed with everything that it has started. */

export class Component {
  readonly element: HTMLElement;
  readonly #life = new AbortController();

  constructor(element: HTMLElement, html: string) {
    this.element = element;
    element.innerHTML = html;
  }

  /** Aborted when the part is removed, which ends all of its listeners and pending work. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Returns an element that its HTML is known to contain. */
  find<T extends HTMLElement = HTMLElement>(selector: string): T {
    return this.element.querySelector<T>(selector)!;
  }

  findAll(selector: string): Iterable<HTMLElement> {
    return this.element.querySelectorAll<HTMLElement>(selector);
  }

  /** Listens to an event of an element during the part's lifetime. */
  on<K extends keyof HTMLElementEventMap>(target: string | HTMLElement, type: K, listener: (event: HTMLElementEventMap[K]) => void): void {
    const element = typeof target === "string" ? this.find(target) : target;
    element.addEventListener(type, listener, { signal: this.signal });
  }

  /** Ends all of its work, and empties the element. */
  dispose(): void {
    this.#life.abort();
    this.element.replaceChildren();
  }
}
