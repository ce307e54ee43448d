/** The Zylisp REPL: in this page, or on a server behind a WebSocket. */

import { type EvalResult, type Evaluation, init, isUnfinished, Zylisp } from "flylead/zylisp";
import { Component } from "../../ui/component.ts";
import { keep, recall } from "../../storage/storage.ts";
import type { Tool } from "../../ui/layout/tools.ts";
import { noticesIn } from "../notices.ts";
import { History } from "./history.ts";
import { Names } from "./names.ts";
import { openPrompt, type Prompt } from "./prompt.ts";
import { called } from "./syntax.ts";
import { Transcript } from "./transcript.ts";
import { filled } from "../../texts/index.ts";
import { texts } from "../../texts/tools/zylisp.ts";
import html from "./panel.html?raw";
import "./panel.css";

export class ZylispPanel extends Component implements Tool {
  readonly #notices = noticesIn(this.element);
  readonly #where = this.find<HTMLSelectElement>(".where");
  readonly #address = this.find<HTMLInputElement>("[name=address]");
  readonly #history = new History("zylisp");
  readonly #transcript = new Transcript(this.find(".transcript"));
  readonly #names = new Names(() => this.#current());
  readonly #code: Prompt;
  /** Session, created at the first use, and again after it was lost. */
  #session: Promise<Zylisp> | undefined;
  #running: Evaluation | undefined;
  /** True if the input is known to be Zylisp, so that its end can be detected. */
  #isZylisp = false;
  /** Function whose call was typed last. */
  #typed: string | undefined;

  constructor(parent: HTMLElement) {
    super(parent, filled(html, texts));
    this.#code = openPrompt(this.find(".code"), {
      history: this.#history,
      evaluate: () => void this.#evaluate(),
      isUnfinished: (source) => this.#isZylisp && isUnfinished(source),
      complete: (prefix) => this.#names.complete(prefix),
      explain: (name) => this.#names.describe(name),
      moved: (before) => void this.#showSignature(before),
    });
    void init().then(() => this.signal.aborted || this.#speak(true), this.#notices.showError);
    this.#address.value = recall("zylisp-address") ?? "";
    this.#listen();
  }

  #listen(): void {
    const { attempt } = this.#notices;
    this.on(".prompt", "submit", (event) => (event.preventDefault(), void this.#evaluate()));
    this.on(".server", "submit", (event) => (event.preventDefault(), void attempt(() => this.#connect())));
    this.on("[data-do=stop]", "click", () => void this.stop());
    this.on("[data-do=clear]", "click", () => this.#transcript.clear());
    this.on(this.#where, "change", () => void attempt(() => this.#move()));
    for (const button of this.findAll("[data-try]")) this.on(button, "click", () => (this.#code.put(button.dataset.try!), void this.#evaluate()));
  }

  focus(): void {
    this.#code.focus();
  }

  run(): void {
    void this.#evaluate();
  }

  override dispose(): void {
    this.stop();
    void this.#leave();
    this.#code.close();
    super.dispose();
  }

  async #move(): Promise<void> {
    const isHere = this.#where.value === "page";
    this.find(".server").hidden = isHere;
    await this.#leave();
    this.#speak(true);
    this.#notices.say("");
    (isHere ? this.#code : this.#address).focus();
  }

  async #leave(): Promise<void> {
    const old = this.#session;
    this.#session = undefined;
    this.#names.forget();
    await (await old?.catch(() => undefined))?.close();
  }

  async #connect(): Promise<void> {
    await this.#leave();
    keep("zylisp-address", this.#address.value);
    const token = this.find<HTMLInputElement>("[name=token]").value;
    this.#session = this.#begin(() => Zylisp.connect(addressOf(this.#address.value), token ? { token } : {}));
    const { evaluator } = await (await this.#session).describe().catch((error: Error) => {
      throw error.name === "RefusedError" && /\btoken\b/.test(error.message) ? new Error(texts.wantsToken) : error;
    });
    this.#speak(evaluator === undefined || evaluator === "zylisp");
    this.#notices.say(evaluator ? texts.connectedTo({ evaluator }) : texts.connected);
    this.#code.focus();
  }

  #begin(open: () => Zylisp | Promise<Zylisp>): Promise<Zylisp> {
    const opening = init().then(open);
    opening.then(
      async (opened) => {
        const loss = await opened.lost;
        if (loss && this.#session === opening) this.#notices.showError(loss);
        if (this.#session === opening) this.#session = undefined;
      },
      () => this.#session === opening && (this.#session = undefined),
    );
    return opening;
  }

  /** Returns the session to query for names: in this page there is always one. */
  #current(): Promise<Zylisp> | undefined {
    return this.#where.value === "page" ? (this.#session ??= this.#begin(inThisPage)) : this.#session;
  }

  #speak(zylisp: boolean): void {
    this.#isZylisp = zylisp;
    this.#code.speak(zylisp);
  }

  async #evaluate(): Promise<void> {
    const source = this.#code.text();
    if (source.trim() === "" || this.#running) return;
    this.#history.add(source);
    this.#code.put("");
    await this.#notices.attempt(async () => {
      const open = this.#current();
      if (!open) throw new Error(texts.connectFirst);
      await this.#show(source, await open);
    });
  }

  async #show(source: string, zylisp: Zylisp): Promise<void> {
    this.#transcript.forgetPages();
    this.#names.forget();
    const { name, output } = this.#transcript.ask(source);
    const evaluation = zylisp.eval(source, { file: name, page: PAGE });
    this.#running = evaluation;
    this.find("[data-do=stop]").ariaDisabled = "false";
    try {
      for await (const text of evaluation) {
        output.append(text);
        this.#transcript.scroll();
      }
      const result = await evaluation;
      // Python's prompt shows nothing for None.
      const isNone = !this.#isZylisp && result.kind === "value" && result.value === null;
      if (!isNone) this.#transcript.answer(result, () => this.#more(zylisp));
    } finally {
      this.#running = undefined;
      this.find("[data-do=stop]").ariaDisabled = "true";
    }
  }

  async #more(zylisp: Zylisp): Promise<EvalResult | undefined> {
    let page: EvalResult | undefined;
    await this.#notices.attempt(async () => void (page = await zylisp.more(PAGE)));
    return page;
  }

  /** Shows the usage of the function whose call is being typed. */
  async #showSignature(before: string): Promise<void> {
    const name = this.#isZylisp ? called(before) : undefined;
    this.#typed = name;
    const shown = name === undefined ? null : await this.#names.describe(name);
    if (this.#typed === name) this.find(".signature").replaceChildren(...(shown ? [shown] : []));
  }

  stop(): boolean {
    this.#running?.cancel();
    return this.#running !== undefined;
  }
}

/** Creates a session in this page. Only this loads the language. */
async function inThisPage(): Promise<Zylisp> {
  const server = await import("flylead/zylisp-server");
  await server.init();
  return Zylisp.attach(server.openServer());
}

function addressOf(text: string): string {
  return /^wss?:\/\//.test(text.trim()) ? text.trim() : `ws://${text.trim()}`;
}

/** Size of the part of a long value that is shown at once, in bytes. */
const PAGE = 64 << 10;
