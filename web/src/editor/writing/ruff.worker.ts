/** Ruff, away from the page: it takes a second to start, and must not hold up who types. */

import init, { type Diagnostic, PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-web";
import module from "@astral-sh/ruff-wasm-web/ruff_wasm_bg.wasm?url";
import { load } from "./load.ts";
import type { Answer, Fault, Question } from "./ruff.ts";

const ready = load(module).then((response) => init({ module_or_path: response }));
ready.catch(() => undefined);

addEventListener("message", ({ data }: MessageEvent<Question>) => void answer(data));

async function answer({ id, ask, text, indent }: Question): Promise<void> {
  try {
    await ready;
  } catch (error) {
    return say({ id, error: messageOf(error), isMissing: true });
  }
  try {
    const workspace = new Workspace(options(indent), PositionEncoding.Utf16);
    try {
      say(ask === "check" ? { id, faults: (workspace.check(text) as Diagnostic[]).map(fault) } : { id, text: workspace.format(text) });
    } finally {
      workspace.free();
    }
  } catch (error) {
    say({ id, error: messageOf(error), isMissing: false });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function say(answer: Answer): void {
  postMessage(answer);
}

function fault({ code, message, start_location: start, end_location: end, tags, fix }: Diagnostic): Fault {
  return {
    rule: code ?? "",
    message: message.replace(/ on Python 3\.\d+ \(syntax was added in Python 3\.\d+\)$/, " in MicroPython"),
    start,
    end,
    isUnneeded: tags.includes("unnecessary"),
    fix: fix && { message: fix.message, edits: fix.edits.map(({ location, end_location, content }) => ({ start: location, end: end_location, text: content ?? "" })) },
  };
}

function options(indent: number): object {
  return {
    // MicroPython has the syntax of Python 3.4 and some of later ones, `:=` of 3.8 the newest (docs/differences/python_38.rst).
    "target-version": "py38",
    builtins: BUILTINS,
    "indent-width": indent,
    lint: { select: ERRORS, ignore: IDIOMS },
    format: { "indent-style": "space" },
  };
}

/** Pyflakes, what cannot be parsed, and Pylint's errors: faults, and no questions of taste. */
const ERRORS = ["F", "E9", "PLE"];
/** `from microbit import *` is how its programs begin. */
const IDIOMS = ["F403", "F405"];
/**
 * Names that MicroPython knows without an import and CPython does not: `const` and the decorators
 * of `micropython` (py/parse.c, py/compile.c), types in viper code (py/emitnative.c), `execfile`
 * and `help` (py/modbuiltins.c).
 */
const BUILTINS = ["const", "micropython", "ptr", "ptr8", "ptr16", "ptr32", "uint", "execfile", "help"];
