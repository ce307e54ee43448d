/** The Zylisp REPL: in this page, or on a server behind a WebSocket. */

import { type EvalResult, type Evaluation, init, isUnfinished, Zylisp } from "flylead/zylisp";
import { make } from "../dom.ts";
import { keep, recall } from "../storage.ts";
import type { Tool } from "../tools.ts";
import { noticesIn } from "../tools/notices.ts";
import { History } from "./history.ts";
import html from "./panel.html?raw";
import "./panel.css";

export function openZylisp(parent: HTMLElement): Tool {
  parent.innerHTML = html;
  const find = <T extends HTMLElement = HTMLElement>(selector: string) => parent.querySelector<T>(selector)!;
  const { attempt, showError, say } = noticesIn(parent);
  const code = find<HTMLTextAreaElement>("textarea");
  const where = find<HTMLSelectElement>(".where");
  const address = find<HTMLInputElement>("[name=address]");
  const history = new History("zylisp");
  /** The session; made when it is first wanted, and anew after it was lost. */
  let session: Promise<Zylisp> | undefined;
  let running: Evaluation | undefined;
  /** Whether what is typed is known to be Zylisp, so that it can be told where it ends. */
  let isZylisp = false;
  void init().then(() => (isZylisp = true), showError);
  address.value = recall("zylisp-address") ?? "";

  find(".prompt").addEventListener("submit", (event) => (event.preventDefault(), void evaluate()));
  find(".server").addEventListener("submit", (event) => (event.preventDefault(), void attempt(connect)));
  find("[data-do=stop]").addEventListener("click", () => void stop());
  find("[data-do=clear]").addEventListener("click", () => find(".transcript").replaceChildren());
  where.addEventListener("change", () => void attempt(move));
  code.addEventListener("keydown", key);
  code.addEventListener("input", grow);
  for (const button of parent.querySelectorAll<HTMLElement>("[data-try]")) {
    button.addEventListener("click", () => (put(button.dataset.try!), void evaluate()));
  }

  async function move(): Promise<void> {
    const isHere = where.value === "page";
    find(".server").hidden = isHere;
    await leave();
    isZylisp = true;
    say("");
    (isHere ? code : address).focus();
  }

  async function leave(): Promise<void> {
    const old = session;
    session = undefined;
    await (await old?.catch(() => undefined))?.close();
  }

  async function connect(): Promise<void> {
    await leave();
    keep("zylisp-address", address.value);
    const token = find<HTMLInputElement>("[name=token]").value;
    session = begin(() => Zylisp.connect(addressOf(address.value), token ? { token } : {}));
    const { evaluator } = await (await session).describe();
    isZylisp = evaluator === undefined || evaluator === "zylisp";
    say(`Connected${evaluator ? ` to ${evaluator}` : ""}`);
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

  async function evaluate(): Promise<void> {
    const source = code.value;
    if (source.trim() === "" || running) return;
    history.add(source);
    put("");
    await attempt(async () => {
      if (!session && where.value === "network") throw new Error("Connect to a server first.");
      session ??= begin(() => Zylisp.local());
      await show(source, (await session).eval(source));
    });
  }

  async function show(source: string, evaluation: Evaluation): Promise<void> {
    running = evaluation;
    find("[data-do=stop]").ariaDisabled = "false";
    const output = make("pre", "", "output");
    add(make("pre", source, "asked"), output);
    try {
      for await (const text of evaluation) {
        output.append(text);
        scroll();
      }
      add(answer(await evaluation));
    } finally {
      running = undefined;
      find("[data-do=stop]").ariaDisabled = "true";
    }
  }

  function add(...items: HTMLElement[]): void {
    find(".transcript .hint")?.remove();
    find(".transcript").append(...items);
    scroll();
  }

  function scroll(): void {
    find(".transcript").scrollTop = find(".transcript").scrollHeight;
  }

  function stop(): boolean {
    running?.cancel();
    return running !== undefined;
  }

  /** Enter evaluates what is whole, and otherwise begins a new line, as Shift+Enter always does; the arrows go into the past from the first line, and back from the last one. */
  function key(event: KeyboardEvent): void {
    const isWhole = !isZylisp || !isUnfinished(code.value);
    if (event.key === "Enter" && isWhole && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void evaluate();
    }
    const before = code.value.slice(0, code.selectionStart);
    const after = code.value.slice(code.selectionEnd);
    if (event.key === "ArrowUp" && !before.includes("\n")) walk(-1, event);
    if (event.key === "ArrowDown" && !after.includes("\n")) walk(1, event);
  }

  function walk(by: -1 | 1, event: KeyboardEvent): void {
    const line = history.step(by, code.value);
    if (line === undefined) return;
    event.preventDefault();
    put(line);
  }

  function put(text: string): void {
    code.value = text;
    grow();
  }

  function grow(): void {
    code.rows = Math.min(code.value.split("\n").length, MOST_ROWS);
  }

  return { focus: () => code.focus(), run: () => void evaluate(), stop };
}

function answer(result: EvalResult): HTMLElement {
  if (result.kind === "value") return make("pre", result.text, "value");
  if (result.kind === "error") return make("pre", `${result.type}: ${result.message}`, "failed");
  return make("pre", "stopped", "failed");
}

function addressOf(text: string): string {
  return /^wss?:\/\//.test(text.trim()) ? text.trim() : `ws://${text.trim()}`;
}

const MOST_ROWS = 12;
