/** The stopped program in the board's panel: its actions, variables, watches and stack. */

import type { DebugContainer, DebugExceptions, DebugFrame, DebugPart, Debugger, DebugStep } from "flylead/debug";
import { make } from "../../ui/dom.ts";
import { messageOf } from "../../ui/sentence.ts";
import { keep, recall, recallJson } from "../../storage/storage.ts";
import { texts } from "../../texts/tools/debug.ts";
import { filled } from "../../texts/index.ts";
import { PartList } from "./parts.ts";
import { entries, type Inspector, pair } from "./values.ts";
import html from "./panel.html?raw";
import "./panel.css";

type Exceptions = Required<DebugExceptions>;

export interface PanelOptions {
  resume: (step: DebugStep) => void;
  pause: () => void;
  stop: () => void;
  /** Called when other exceptions were selected. */
  chooseExceptions: (exceptions: Exceptions) => void;
  /** Shows a message. */
  say: (text: string) => void;
  /** Called when a frame was selected. */
  show: (frame: DebugFrame) => void;
  /** Returns the name of a frame's file; the program that was sent has none. */
  nameOf: (file: string) => string | undefined;
}

export class Panel {
  readonly #parent: HTMLElement;
  readonly #options: PanelOptions;
  readonly #watches = recallJson(WATCHES, isTexts) ?? [];
  #debug: Debugger | undefined;
  #frames: readonly DebugFrame[] = [];
  /** Selected frame. */
  #frame = 0;
  readonly #parts: PartList;
  /** Number of the current look; results of older ones are dropped. */
  #look = 0;

  constructor(parent: HTMLElement, options: PanelOptions) {
    this.#parent = parent;
    this.#options = options;
    parent.innerHTML = filled(html, texts);
    this.#parts = new PartList(this.#find(".debug-parts"));
    for (const step of STEPS) this.#onPress(step, () => options.resume(step));
    this.#onPress("pause", options.pause);
    this.#onPress("stop", options.stop);
    this.#find("form").addEventListener("submit", (event) => (event.preventDefault(), void this.#watch()));
    const { raised, uncaught } = recallJson(EXCEPTIONS, isExceptions) ?? { raised: false, uncaught: false };
    for (const [name, isChosen] of Object.entries({ raised, uncaught })) this.#choice(name).checked = isChosen;
    this.#find("[data-of=exceptions]").addEventListener("change", () => this.#chooseExceptions());
    this.#partsChoice().checked = recall(PARTS) === "true";
    this.#partsChoice().addEventListener("change", () => keep(PARTS, String(this.#partsChoice().checked)));
    this.#find("[data-of=globals]").addEventListener("toggle", () => void this.#showGlobals());
  }

  /** Returns the exceptions at which programs stop. */
  get exceptions(): Exceptions {
    return { raised: this.#choice("raised").checked, uncaught: this.#choice("uncaught").checked };
  }

  /** Returns true if the next program should have hooks for parts: for this run, or as the user has chosen. */
  beginParts(isWanted: boolean): boolean {
    const hasParts = isWanted || this.#partsChoice().checked;
    this.#button("part").hidden = !hasParts;
    return hasParts;
  }

  /** Steps to the next part, or offers it for the next program if this one has no hooks for it. */
  stepToPart(): void {
    if (!this.#button("part").hidden) return this.#options.resume("part");
    if (!this.#partsChoice().checked) this.#partsChoice().click();
    this.#options.say(texts.partsLater);
  }

  #partsChoice(): HTMLInputElement {
    return this.#find("[name=parts]");
  }

  #chooseExceptions(): void {
    keep(EXCEPTIONS, JSON.stringify(this.exceptions));
    this.#options.chooseExceptions(this.exceptions);
  }

  #choice(name: string): HTMLInputElement {
    return this.#find(`[data-of=exceptions] [name=${name}]`);
  }

  /** Returns the selected frame, by its place in the stack. */
  get frame(): number {
    return this.#frame;
  }

  /** Starts with a running program. */
  begin(debug: Debugger): void {
    this.#debug = debug;
    this.#parent.hidden = false;
    this.running(texts.starting);
  }

  /** Shows that the program has ended. */
  end(): void {
    this.#look += 1;
    this.#debug = undefined;
    this.#parts.clear();
    this.#parent.hidden = true;
  }

  /** Shows that the program runs. */
  running(said: string): void {
    this.#look += 1;
    this.#frames = [];
    this.#enable(false);
    this.#find(".debug-where").textContent = said;
  }

  /** Shows that the program is stopped. */
  async stopped(frames: readonly DebugFrame[], said: string, part?: DebugPart): Promise<void> {
    this.#parts.show(part);
    this.#frames = frames;
    this.#enable(true);
    this.#find(".debug-where").textContent = said;
    await this.#choose(0);
  }

  async #choose(frame: number): Promise<void> {
    this.#frame = frame;
    this.#list("stack").replaceChildren(...this.#frames.map((one, at) => this.#stackEntry(one, at)));
    const chosen = this.#frames[frame];
    if (chosen) this.#options.show(chosen);
    const look = ++this.#look;
    await this.#showVariables("locals", { locals: frame }, look);
    await this.#showWatches(look);
    await this.#showGlobals();
  }

  #stackEntry(frame: DebugFrame, at: number): HTMLLIElement {
    const item = make("li");
    const button = make("button", "", "link");
    button.append(this.#placeOf(frame));
    if (at === this.#frame) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => void this.#choose(at).then(() => this.#list("stack").querySelectorAll("button")[at]?.focus()));
    item.append(button);
    return item;
  }

  #placeOf({ function: name, file: path, line }: DebugFrame): string {
    const file = this.#options.nameOf(path);
    return file === undefined ? texts.frame({ name, line }) : texts.frameIn({ name, file, line });
  }

  async #showGlobals(): Promise<void> {
    const isOpen = this.#find<HTMLDetailsElement>("[data-of=globals]").open;
    if (isOpen && this.#frames.length > 0) await this.#showVariables("globals", { globals: this.#frame }, this.#look);
  }

  async #showVariables(name: string, of: DebugContainer, look: number): Promise<void> {
    const list = this.#list(name);
    try {
      const variables = (await this.#debug?.variables(of)) ?? [];
      if (look !== this.#look) return;
      list.replaceChildren(...(variables.length > 0 ? entries(variables, this.#inspector(of)) : [make("li", texts.none, "note")]));
    } catch (error) {
      if (look === this.#look) list.replaceChildren(make("li", messageOf(error), "note"));
    }
  }

  /** Returns the operations on the variables of a container. */
  #inspector(of: DebugContainer): Inspector {
    return {
      open: async (handle, start, count) => {
        const items = { items: { of: handle, start, count } };
        return [(await this.#debug?.variables(items)) ?? [], this.#inspector(items)];
      },
      set: async (name, python) => {
        await this.#debug?.setVariable(this.#frame, of, name, python);
        // One change may affect several places.
        await this.#choose(this.#frame);
      },
    };
  }

  async #watch(): Promise<void> {
    const input = this.#find<HTMLInputElement>("[name=watch]");
    const expression = input.value.trim();
    input.value = "";
    if (expression && !this.#watches.includes(expression)) this.#watches.push(expression);
    await this.#keepWatches();
  }

  async #unwatch(expression: string): Promise<void> {
    this.#watches.splice(this.#watches.indexOf(expression), 1);
    await this.#keepWatches();
    this.#find("[name=watch]").focus();
  }

  async #keepWatches(): Promise<void> {
    keep(WATCHES, JSON.stringify(this.#watches));
    await this.#showWatches(this.#look);
  }

  async #showWatches(look: number): Promise<void> {
    const items: HTMLLIElement[] = [];
    for (const expression of this.#watches) items.push(this.#watchEntry(expression, await this.#valueOf(expression)));
    if (look === this.#look) this.#list("watches").replaceChildren(...items);
  }

  #watchEntry(expression: string, [text, type]: readonly [string, string]): HTMLLIElement {
    const item = make("li");
    const button = make("button", "×", "quiet");
    button.ariaLabel = texts.unwatch({ expression });
    button.addEventListener("click", () => void this.#unwatch(expression));
    item.append(...pair(expression, text, type), button);
    return item;
  }

  async #valueOf(expression: string): Promise<readonly [string, string]> {
    if (this.#frames.length === 0) return [texts.knownLater, ""];
    try {
      const value = await this.#debug?.evaluate(this.#frame, expression);
      return [value?.text ?? "", value?.type ?? ""];
    } catch (error) {
      return [messageOf(error), ""];
    }
  }

  #enable(isStopped: boolean): void {
    this.#parent.dataset.program = isStopped ? "stopped" : "running";
    for (const step of STEPS) this.#button(step).ariaDisabled = String(!isStopped);
    this.#button("pause").ariaDisabled = String(isStopped);
  }

  #onPress(name: string, work: () => void): void {
    this.#button(name).addEventListener("click", ({ currentTarget }) => (currentTarget as HTMLElement).ariaDisabled !== "true" && work());
  }

  #button(name: string): HTMLElement {
    return this.#find(`[data-do=${name}]`);
  }

  #list(name: string): HTMLElement {
    return this.#find(`[data-list=${name}]`);
  }

  #find<T extends HTMLElement = HTMLElement>(selector: string): T {
    return this.#parent.querySelector<T>(selector)!;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isExceptions(value: unknown): value is Exceptions {
  const { raised, uncaught } = (value ?? {}) as Partial<Exceptions>;
  return typeof raised === "boolean" && typeof uncaught === "boolean";
}

const STEPS: readonly DebugStep[] = ["continue", "over", "into", "out", "part"];
const PARTS = "parts";
const WATCHES = "watches";
const EXCEPTIONS = "exceptions";
