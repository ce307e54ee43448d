/** What the session knows of names: whoever asks while none is there, or of a server that cannot tell, learns nothing. */

import type { Completion, NameInfo, Zylisp } from "flylead/zylisp";
import { make } from "../dom.ts";
import { texts } from "../texts/zylisp.ts";

export class Names {
  readonly #session: () => Promise<Zylisp> | undefined;
  #known = new Map<string, Promise<NameInfo | undefined>>();

  constructor(session: () => Promise<Zylisp> | undefined) {
    this.#session = session;
  }

  /** Something was evaluated, or elsewhere: names may mean something else now. */
  forget(): void {
    this.#known = new Map();
  }

  async complete(prefix: string): Promise<readonly Completion[]> {
    try {
      return (await (await this.#session())?.complete(prefix)) ?? [];
    } catch {
      return [];
    }
  }

  lookUp(name: string): Promise<NameInfo | undefined> {
    let info = this.#known.get(name);
    if (!info) this.#known.set(name, (info = this.#ask(name)));
    return info;
  }

  /** How a name is used and what it does, for the eye. */
  async describe(name: string): Promise<HTMLElement | null> {
    const info = await this.lookUp(name);
    if (!info?.usage) return null;
    const shown = make("span");
    shown.append(make("code", info.usage), ` ${info.doc ?? definedIn(info)}`);
    return shown;
  }

  async #ask(name: string): Promise<NameInfo | undefined> {
    try {
      return await (await this.#session())?.lookUp(name);
    } catch {
      return undefined;
    }
  }
}

function definedIn({ file, line }: NameInfo): string {
  return line === undefined ? "" : file === undefined ? texts.definedInLine(line) : texts.definedInFile(line, file);
}
