/** What the language server finds wrong and is sure of, on the board that is there: the rest of what it could say is opinion, or a guess. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { type Position, type Pyright, uriOf } from "./pyright.ts";
import { ATTRIBUTE, CALL } from "./rules.ts";
import { STUBS, TYPESHED } from "./stubs.ts";

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

export interface SureFault {
  rule: string;
  message: string;
  from: number;
  to: number;
}

/** In the document that is shown, by its path. `isKnown` if the server's stubs are those of the board that is there. */
export async function sureFaults(pyright: Pyright, path: string, state: EditorState, isKnown: boolean): Promise<SureFault[]> {
  const uri = uriOf(path);
  const items = await pyright.faults(path);
  const sure: SureFault[] = [];
  for (const { code, message, range } of items.slice(0, MOST)) {
    const fault = { rule: String(code ?? ""), message: firstLine(message), from: offsetOf(state, range.start), to: offsetOf(state, range.end) };
    if (await isSure(fault)) sure.push(fault);
  }
  return sure;

  async function isSure({ rule, message, from }: SureFault): Promise<boolean> {
    const node = syntaxTree(state).resolveInner(from, 1);
    if (isGuarded(state, node)) return false;
    if (rule === ATTRIBUTE) return isKnown && isOfBoard(nameOfModule(state, node, message));
    return rule === CALL && COUNTS.test(message) && isOwnFunction(calleeAt(node));
  }

  /** Whether a module is one whose names the stubs list: one of the board's own files is not, nor one that nobody knows. */
  async function isOfBoard(name: SyntaxNode | undefined): Promise<boolean> {
    const places = name ? await definitions(name) : [];
    return places.length > 0 && places.every((place) => WHOLE.has(OF_STUBS.exec(place.uri)?.[1] ?? ""));
  }

  /** Whether a call is of a function that stands in this program once, and is what stands there. */
  async function isOwnFunction(callee: SyntaxNode | undefined): Promise<boolean> {
    const [place, ...others] = callee ? await definitions(callee) : [];
    if (!place || others.length > 0 || place.uri !== uri) return false;
    const defined = syntaxTree(state).resolveInner(offsetOf(state, place.range.start), 1).parent;
    return defined?.name === "FunctionDefinition" && defined.parent?.name === "Script";
  }

  async function definitions({ from }: SyntaxNode): Promise<{ uri: string; range: { start: Position } }[]> {
    const line = state.doc.lineAt(from);
    const question = { textDocument: { uri }, position: { line: line.number - 1, character: from - line.from } };
    return (await pyright.ask<{ uri: string; range: { start: Position } }[] | null>("textDocument/definition", question)) ?? [];
  }
}

/** Of `time.sleep_mss` and of `from time import sleep_mss`, where `node` is the name that is not known. */
function nameOfModule(state: EditorState, node: SyntaxNode, message: string): SyntaxNode | undefined {
  if (MEMBER.test(message) && node.name === "PropertyName") return node.parent?.firstChild ?? undefined;
  if (!IMPORTED.test(message) || node.parent?.name !== "ImportStatement") return undefined;
  const [first, second] = [node.parent.firstChild, node.parent.firstChild?.nextSibling];
  return first && state.sliceDoc(first.from, first.to) === "from" && second?.name === "VariableName" ? second : undefined;
}

/** Whether a program that asks first, or is ready for the answer no, may mean what it says. */
function isGuarded(state: EditorState, node: SyntaxNode): boolean {
  for (let around: SyntaxNode | null = node; around; around = around.parent) {
    if (around.name === "TryStatement" && EXPECTING.test(state.sliceDoc(around.from, around.to))) return true;
    const isChoice = around.name === "IfStatement" || around.name === "ConditionalExpression" || around.name === "BinaryExpression";
    if (isChoice && ASKING.test(state.sliceDoc(around.from, around.to))) return true;
  }
  return false;
}

/** The plain name that is called by the innermost call at a place. */
function calleeAt(node: SyntaxNode): SyntaxNode | undefined {
  for (let around: SyntaxNode | null = node; around; around = around.parent) {
    if (around.name === "CallExpression") return around.firstChild?.name === "VariableName" ? around.firstChild : undefined;
  }
  return undefined;
}

function firstLine(text: string): string {
  return text.split("\n")[0]!;
}

function offsetOf({ doc }: EditorState, { line, character }: Position): number {
  const found = doc.line(Math.min(line + 1, doc.lines));
  return Math.min(found.from + character, found.to);
}

/** Nobody reads more of them at once, and each is asked about. */
const MOST = 100;
/** What basedpyright says: `moduleUnknownMember`, `importSymbolUnknown` (localize.ts, en.json of version 1.39.4). */
const MEMBER = /^"[^"]+" is not a known attribute of module /;
const IMPORTED = /^"[^"]+" is unknown import symbol/;
/** `argPositionalExpectCount` and its like, `argMissingForParam(s)`, `paramNameMissing`. */
const COUNTS = /^(Expected \d+ (more )?positional arguments?|Arguments? missing for parameters? |No parameter named )/;
const OF_STUBS = new RegExp(`^file://(?:${TYPESHED}/stdlib|${STUBS})/(\\w+)(?:/__init__)?\\.pyi$`);
/**
 * The modules of which the stubs have every name that a board has (completion.test.js asks one); of others, such as `binascii`, `io`, `os` and `sys`,
 * they lack some.
 */
const WHOLE: ReadonlySet<string> = new Set(["array", "cmath", "cryptolib", "deflate", "errno", "gc", "hashlib", "heapq", "json", "math", "micropython", "random", "re", "select", "struct", "time", "uctypes"]);
const EXPECTING = /^\s*except\s*(:|.*\b(AttributeError|ImportError|NameError|TypeError|Exception|BaseException)\b)/m;
const ASKING = /\b(hasattr|dir|getattr|platform|implementation|uname|version|version_info)\b/;
