/** The Zylisp REPL: in this page, or on a server behind a WebSocket. */

import { type EvalResult, type Evaluation, init, isUnfinished, Zylisp } from "flylead/zylisp";
import { keep, recall } from "../storage.ts";
import type { Tool } from "../tools.ts";
import { noticesIn } from "../tools/notices.ts";
import { History } from "./history.ts";
import { Names } from "./names.ts";
import { openPrompt } from "./prompt.ts";
import { called } from "./syntax.ts";
import { Transcript } from "./transcript.ts";
import { filled } from "../texts/index.ts";
import { texts } from "../texts/zylisp.ts";
import html from "./panel.html?raw";
import "./panel.css";

export function openZylisp(parent: HTMLElement): Tool {
  parent.innerHTML = filled(html, texts);
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => parent.querySelector<T>(selector)!;
  const { attempt, showError, say } = noticesIn(parent);
  const where = find<HTMLSelectElement>(".where");
  const address = find<HTMLInputElement>("[name=address]");
  const history = new History("zylisp");
  const transcript = new Transcript(find(".transcript"));
  const names = new Names(current);
  const code = openPrompt(find(".code"), {
    history,
    evaluate: () => void evaluate(),
    isUnfinished: (source) => isZylisp && isUnfinished(source),
    complete: (prefix) => names.complete(prefix),
    explain: (name) => names.describe(name),
    moved: (before) => void showSignature(before),
  });
  /** The session; made when it is first wanted, and anew after it was lost. */
  let session: Promise<Zylisp> | undefined;
  let running: Evaluation | undefined;
  /** Whether what is typed is known to be Zylisp, so that it can be told where it ends. */
  let isZylisp = false;
  /** The function whose call was typed last. */
  let typed: string | undefined;
  void init().then(() => speak(true), showError);
  address.value = recall("zylisp-address") ?? "";

  find(".prompt").addEventListener("submit", (event) => (event.preventDefault(), void evaluate()));
  find(".server").addEventListener("submit", (event) => (event.preventDefault(), void attempt(connect)));
  find("[data-do=stop]").addEventListener("click", () => void stop());
  find("[data-do=clear]").addEventListener("click", () => transcript.clear());
  where.addEventListener("change", () => void attempt(move));
  for (const button of parent.querySelectorAll<HTMLElement>("[data-try]")) {
    button.addEventListener("click", () => (code.put(button.dataset.try!), void evaluate()));
  }

  async function move(): Promise<void> {
    const isHere = where.value === "page";
    find(".server").hidden = isHere;
    await leave();
    speak(true);
    say("");
    (isHere ? code : address).focus();
  }

  async function leave(): Promise<void> {
    const old = session;
    session = undefined;
    names.forget();
    await (await old?.catch(() => undefined))?.close();
  }

  async function connect(): Promise<void> {
    await leave();
    keep("zylisp-address", address.value);
    const token = find<HTMLInputElement>("[name=token]").value;
    session = begin(() => Zylisp.connect(addressOf(address.value), token ? { token } : {}));
    const { evaluator } = await (await session).describe().catch((error: Error) => {
      throw error.name === "RefusedError" && /\btoken\b/.test(error.message) ? new Error(texts.wantsToken) : error;
    });
    speak(evaluator === undefined || evaluator === "zylisp");
    say(evaluator ? texts.connectedTo(evaluator) : texts.connected);
    code.focus();
  }

  function begin(open: () => Zylisp | Promise<Zylisp>): Promise<Zylisp> {
    const opening = init().then(open);
    opening.then(
      async (opened) => {
        const loss = await opened.lost;
        if (loss && session === opening) showError(loss);
        if (session === opening) session = undefined;
      },
      () => session === opening && (session = undefined),
    );
    return opening;
  }

  /** The session that names are asked of: in this page there is always one. */
  function current(): Promise<Zylisp> | undefined {
    return where.value === "page" ? (session ??= begin(() => Zylisp.local())) : session;
  }

  function speak(zylisp: boolean): void {
    isZylisp = zylisp;
    code.speak(zylisp);
  }

  async function evaluate(): Promise<void> {
    const source = code.text();
    if (source.trim() === "" || running) return;
    history.add(source);
    code.put("");
    await attempt(async () => {
      const open = current();
      if (!open) throw new Error(texts.connectFirst);
      await show(source, await open);
    });
  }

  async function show(source: string, zylisp: Zylisp): Promise<void> {
    transcript.forgetPages();
    names.forget();
    const { name, output } = transcript.ask(source);
    const evaluation = zylisp.eval(source, { file: name, page: PAGE });
    running = evaluation;
    find("[data-do=stop]").ariaDisabled = "false";
    try {
      for await (const text of evaluation) {
        output.append(text);
        transcript.scroll();
      }
      transcript.answer(await evaluation, () => more(zylisp));
    } finally {
      running = undefined;
      find("[data-do=stop]").ariaDisabled = "true";
    }
  }

  async function more(zylisp: Zylisp): Promise<EvalResult | undefined> {
    let page: EvalResult | undefined;
    await attempt(async () => void (page = await zylisp.more(PAGE)));
    return page;
  }

  /** Shows how the function is used whose call is being typed. */
  async function showSignature(before: string): Promise<void> {
    const name = isZylisp ? called(before) : undefined;
    typed = name;
    const shown = name === undefined ? null : await names.describe(name);
    if (typed === name) find(".signature").replaceChildren(...(shown ? [shown] : []));
  }

  function stop(): boolean {
    running?.cancel();
    return running !== undefined;
  }

  return { focus: () => code.focus(), run: () => void evaluate(), stop };
}

function addressOf(text: string): string {
  return /^wss?:\/\//.test(text.trim()) ? text.trim() : `ws://${text.trim()}`;
}

/** How much of a long value is shown at once, in bytes. */
const PAGE = 64 << 10;
