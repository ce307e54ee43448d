/** Completion, explanations and signatures by a language server that knows the board, its modules and what is open. */

import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { EditorState, Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import { make } from "../../../ui/dom.ts";
import "./completion.css";
import type { BoardNames } from "../../../boards/connection/names.ts";
import { ownNames } from "../../own-names.ts";
import type { Ask, Report, Surroundings } from "../help.ts";
import { anywhere, modules, type Offered, ofClass, ofModule, ofName, placeIn, unlisted } from "./offered.ts";
import { Pyright, uriOf } from "../server/pyright.ts";
import { signatures } from "./signature.ts";
import { hasStubs } from "../server/wheels.ts";
import { isOfStubs, type } from "./kinds.ts";
import { type SureFault, sureFaults } from "../server/sure.ts";

interface Item {
  label: string;
  kind?: number;
  detail?: string;
  sortText?: string;
  documentation?: string | { value: string };
}

export interface LanguageHelp {
  extension: Extension;
  /** Returns the certain faults of a program, once the server of the board is ready; it does not wait for it. */
  faults(state: EditorState): Promise<SureFault[]>;
}

/** `ready` is called when there is a server, and again when there is one of another board. */
export function completion(surroundings: () => Surroundings, report: Report, ready: () => void): LanguageHelp {
  let platform: string | undefined;
  let starting: Promise<Pyright> | undefined;
  let server: Pyright | undefined;

  /** The server of the board that is there now; at first, and with another board, a new one. */
  async function present(wanted: string): Promise<Pyright> {
    if (platform !== wanted || server?.isClosed) {
      server?.close();
      [platform, server] = [wanted, undefined];
      starting = Pyright.start(wanted);
      starting.then(ready, () => (platform = undefined));
    }
    server = await starting!;
    server.onSecondThought = ready;
    return server;
  }

  async function shown(state: EditorState): Promise<{ pyright: Pyright; path: string; uri: string }> {
    const { platform, path, others } = surroundings();
    const pyright = await present(platform);
    pyright.keep(new Set([path, ...others.map((other) => other.path)]));
    for (const other of others) pyright.show(other.path, other.text);
    pyright.show(path, state.doc.toString());
    return { pyright, path, uri: uriOf(path) };
  }

  const ask: Ask = async <T>(state: EditorState, method: string, at: number) => {
    const found = await shown(state).catch((error: unknown) => report(error, false));
    if (!found) return undefined;
    const question = { textDocument: { uri: found.uri }, position: positionOf(state, at) };
    // Nobody waits for a server that refuses, or has ended and begins again.
    return found.pyright.ask<T>(method, question).catch(() => undefined);
  };

  async function faults(state: EditorState): Promise<SureFault[]> {
    const wanted = surroundings();
    if (!server || server.isClosed || platform !== wanted.platform) return [];
    const { pyright, path } = await shown(state);
    return sureFaults(pyright, path, state, wanted.isThere && hasStubs(wanted.platform), wanted.isThere ? wanted.names : undefined);
  }

  async function complete(context: CompletionContext): Promise<CompletionResult | null> {
    const { state, pos, explicit } = context;
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(0, pos - line.from);
    const word = /[\p{L}\p{N}_]*$/u.exec(before)![0];
    if (!explicit && !/[\p{L}_.]/u.test(before.at(-1) ?? "") || /^\d/.test(word)) return null;
    const answer = await ask<{ items: Item[] } | Item[] | null>(state, "textDocument/completion", pos);
    if (answer === undefined) return ownNames(context);
    const items = Array.isArray(answer) ? answer : (answer?.items ?? []);
    const offered = await offeredAt(state, pos, before);
    const known = items.filter(({ label, kind }) => !isOfStubs(label, kind) && (word.startsWith("_") || !label.startsWith("_")) && (offered?.has(label) ?? true));
    const labels = new Set(known.map(({ label }) => label));
    const own = [...(offered?.own ?? [])].filter(([label]) => !labels.has(label));
    const options = [...known.map((item) => optionOf(item)), ...own.map(([label, kind]) => ({ label, type: OWN[kind] ?? "variable" }))];
    return options.length === 0 ? null : { from: pos - word.length, options, validFor: /^[\p{L}\p{N}_]*$/u };
  }

  /** Names that the board has and that may follow here; `undefined` if it did not say, or there is none. */
  async function offeredAt(state: EditorState, pos: number, before: string): Promise<Offered | undefined> {
    await surroundings().learned;
    const { names, isThere, others } = surroundings();
    const program = state.doc.toString();
    const place = placeIn(before);
    const paths = others.map(({ path }) => path);
    if (!names) return isThere ? unlisted(place, program, paths) : undefined;
    const { receiver, from, isImport } = place;
    if (from !== undefined) return ofModule(names, from);
    if (isImport) return modules(names, paths);
    if (receiver !== undefined) return ofName(names, receiver, program) ?? (await byType(names, state, pos - before.length + before.lastIndexOf(".")));
    if (/\.\w*$/.test(before)) return /["']\.\w*$/.test(before) ? ofClass(names, "str") : undefined;
    return anywhere(names, server?.builtins ?? new Set(), program.slice(0, pos - /\w*$/.exec(before)![0].length) + program.slice(pos));
  }

  /** Members of the class that the server takes an object for, which stands before the dot. */
  async function byType(names: BoardNames, state: EditorState, dot: number): Promise<Offered | undefined> {
    const answer = await ask<{ contents: string | { value: string } } | null>(state, "textDocument/hover", dot - 1);
    const text = answer && (typeof answer.contents === "string" ? answer.contents : answer.contents.value);
    const [, type] = (text && TYPE.exec(text)) || [];
    return type === undefined ? undefined : ofClass(names, type);
  }

  function optionOf(item: Item): Completion {
    return {
      label: item.label,
      type: type(item.kind),
      ...(item.sortText ? { sortText: item.sortText } : {}),
      info: async () => {
        const { detail, documentation } = (await server?.ask<Item>("completionItem/resolve", item).catch(() => undefined)) ?? item;
        const text = documentation ? (typeof documentation === "string" ? documentation : documentation.value) : detail;
        return text ? about(text) : null;
      },
    };
  }

  const hover = hoverTooltip(async ({ state }, at) => {
    const answer = await ask<{ contents: string | { value: string } } | null>(state, "textDocument/hover", at);
    const text = answer && (typeof answer.contents === "string" ? answer.contents : answer.contents.value);
    return text ? { pos: at, above: true, create: () => ({ dom: about(text) }) } : null;
  });

  return { extension: [autocompletion({ override: [complete], activateOnTypingDelay: TYPING_MS }), hover, signatures(ask)], faults };
}

function about(text: string): HTMLElement {
  const dom = make("div", text, "about-name");
  dom.tabIndex = 0; // It may have to be scrolled, and there is nothing in it that takes the focus.
  return dom;
}

function positionOf({ doc }: EditorState, at: number): { line: number; character: number } {
  const line = doc.lineAt(at);
  return { line: line.number - 1, character: at - line.from };
}

/** Type of a variable, as the server says it: "(variable) led: Pin". */
const TYPE = /^\((?:variable|constant|parameter|property)\) [\w.]+: (\w+)/;
const OWN: Readonly<Record<string, string>> = { module: "namespace", class: "class", function: "function" };
/** Time that a list waits for the next letter. */
const TYPING_MS = 30;
