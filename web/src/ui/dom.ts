/** Helpers for the page's document. */

/** Returns the element with this id; the page is broken without it, so its absence is an error. */
export function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found as T;
}

/** Creates an element with text in it. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** Runs `work` when the button is pressed. */
export function onPress(id: string, work: () => void): void {
  element(id).addEventListener("click", work);
}

/** Returns a color of the page in the current theme. A custom property by itself only contains the rule for it. */
export function colorOf(name: string): string {
  const probe = make("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls `listener` with the value of a CSS media query, now and at each change, until `signal` is aborted. */
export function watchMedia(query: string, listener: (matches: boolean) => void, signal?: AbortSignal): void {
  const media = matchMedia(query);
  listener(media.matches);
  media.addEventListener("change", () => listener(media.matches), signal ? { signal } : {});
}
