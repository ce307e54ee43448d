/** Names known to the session; unknown if there is no session, or if its server cannot report them. */

import type { Completion, NameInfo, Zylisp } from "flylead/zylisp";
import { make } from "../../ui/dom.ts";
import { texts } from "../../texts/tools/zylisp.ts";

export class Names {
  readonly #session: () => Promise<Zylisp> | undefined;
  #known = new Map<string, Promise<NameInfo | undefined>>();

  constructor(session: () => Promise<Zylisp> | undefined) {
    this.#session = session;
  }

  /** Forgets the names, whose meaning may change with each evaluation. */
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

  /** Shows the usage and the effect of a name. */
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
  return line === undefined ? "" : file === undefined ? texts.definedInLine({ line }) : texts.definedInFile({ line, file });
}
