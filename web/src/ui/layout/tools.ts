/** Shows the tools beside the board: the program, or one of the others, each loaded when it is needed. */

import { element, onPress } from "../dom.ts";
import { keep, recall } from "../../storage/storage.ts";

export type ToolName = "program" | "experiments" | "agent" | "zylisp";

export interface Tool {
  /** Focuses the place where work begins. */
  focus(): void;
  /** Handles Ctrl+Enter, if it does not run the program. */
  run?(): void;
  /** Handles the Stop key; returns `false` if there is nothing to stop but the board. */
  stop?(): boolean;
  /** Ends all of its work, and empties its place. */
  dispose(): void;
}

export class Tools {
  readonly #open: Record<ToolName, (parent: HTMLElement) => Promise<Tool>>;
  readonly #opened = new Map<ToolName, Promise<Tool>>();
  readonly #shown: (name: ToolName) => void;
  readonly #failed: (error: unknown) => void;
  #current: ToolName = "program";
  #tool: Tool | undefined;

  /**
   * `shown` is called with the tool that comes to the front, `failed` with the error if one could not be opened:
   * selecting it again retries.
   */
  constructor(open: Record<ToolName, (parent: HTMLElement) => Promise<Tool>>, shown: (name: ToolName) => void, failed: (error: unknown) => void) {
    [this.#open, this.#shown, this.#failed] = [open, shown, failed];
    for (const name of NAMES) button(name).addEventListener("click", () => void this.#choose(name));
    onPress("more-tools", () => this.#reveal(element("more-tools").ariaExpanded !== "true"));
    this.#reveal(recall(REVEALED) === "yes");
    const last = recall(SHOWN) as ToolName | undefined;
    void this.show(last && NAMES.includes(last) ? last : "program").catch(failed);
  }

  /** Shows the tools that few people need, or hides them. */
  #reveal(wanted: boolean): void {
    element("more-tools").ariaExpanded = String(wanted);
    element("more-tools").hidden = recall(REVEALED) === "yes";
    for (const name of MORE) button(name).hidden = !wanted;
  }

  async #choose(name: ToolName): Promise<void> {
    await this.show(name).then((tool) => tool.focus(), this.#failed);
  }

  /** Returns the tool in front, once it is loaded. */
  get current(): Tool | undefined {
    return this.#tool;
  }

  /** Brings a tool to the front. */
  async show(name: ToolName): Promise<Tool> {
    this.#current = name;
    this.#tool = undefined;
    keep(SHOWN, name);
    if (MORE.includes(name)) {
      keep(REVEALED, "yes");
      this.#reveal(true);
    }
    this.#shown(name);
    for (const one of NAMES) {
      element(one).hidden = one !== name;
      button(one).setAttribute("aria-pressed", String(one === name));
    }
    let opened = this.#opened.get(name);
    if (!opened) this.#opened.set(name, (opened = this.#open[name](element(name))));
    opened.catch(() => this.#opened.delete(name));
    const tool = await opened;
    if (this.#current === name) this.#tool = tool;
    return tool;
  }

  /** Brings the tool at this place to the front, counted from 0. */
  async showAt(place: number): Promise<void> {
    const name = NAMES[place];
    if (name) await this.#choose(name);
  }

  /** Removes all tools that were opened. */
  dispose(): void {
    for (const opened of this.#opened.values()) void opened.then((tool) => tool.dispose(), () => undefined);
    this.#opened.clear();
  }
}

function button(name: ToolName): HTMLElement {
  return element(`tool-${name}`);
}

const NAMES: readonly ToolName[] = ["program", "experiments", "agent", "zylisp"];
/** Tools behind a button, until one of them was opened. */
export const MORE: readonly ToolName[] = ["agent", "zylisp"];
const SHOWN = "tool";
const REVEALED = "tools.more";
