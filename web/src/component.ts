/** A part of the page with a life: it is made in an element, and taken away with all that it has begun. */

export class Component {
  readonly element: HTMLElement;
  readonly #life = new AbortController();

  constructor(element: HTMLElement, html: string) {
    this.element = element;
    element.innerHTML = html;
  }

  /** Aborted when it is taken away: what listens, waits or works for it ends by this. */
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

  /** Listens to something in it as long as it lives. */
  on<K extends keyof HTMLElementEventMap>(target: string | HTMLElement, type: K, listener: (event: HTMLElementEventMap[K]) => void): void {
    const element = typeof target === "string" ? this.find(target) : target;
    element.addEventListener(type, listener, { signal: this.signal });
  }

  /** Ends all of it, and leaves the element empty. */
  dispose(): void {
    this.#life.abort();
    this.element.replaceChildren();
  }
}
