/** Selects the language server's certain faults, on the connected board: its other remarks are opinions, or guesses. */

import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { type BoardNames, membersOf } from "../../../boards/connection/names.ts";
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

/**
 * In the document that is shown, by its path. `isKnown` if the server's stubs are those of the board that is there; `names` are those
 * that this board has, if it has listed them.
 */
export async function sureFaults(pyright: Pyright, path: string, state: EditorState, isKnown: boolean, names?: BoardNames): Promise<SureFault[]> {
  const uri = uriOf(path);
  const items = await pyright.faults(path);
  const sure: SureFault[] = [];
  for (const { code, message, range } of items.slice(0, MOST)) {
    const fault = { rule: String(code ?? ""), message: firstLine(message), from: offsetOf(state, range.start), to: offsetOf(state, range.end) };
    if (await isSure(fault)) sure.push(fault);
  }
  // Names of the stubs that this board has not are no faults to the server.
  for (const { fault, name, attribute } of (names ? membersIn(state) : []).slice(0, MOST)) {
    const isNew = !sure.some(({ from }) => from === fault.from) && !isGuarded(state, syntaxTree(state).resolveInner(fault.from, 1));
    const module = state.sliceDoc(name.from, name.to);
    if (isNew && (await isOfBoard(name, attribute, isLacking))) sure.push({ ...fault, message: fault.message.replace("{module}", module) });
  }
  return sure;

  async function isSure({ rule, message, from }: SureFault): Promise<boolean> {
    const node = syntaxTree(state).resolveInner(from, 1);
    if (isGuarded(state, node)) return false;
    if (rule === ATTRIBUTE) return isKnown && isOfBoard(nameOfModule(state, node, message), QUOTED.exec(message)?.[1] ?? "", isWhole);
    return rule === CALL && COUNTS.test(message) && isOwnFunction(calleeAt(node));
  }

  /** Returns true if a name stands for modules of the stubs, of all of which `is` holds: those of the board's own files are not theirs. */
  async function isOfBoard(name: SyntaxNode | undefined, attribute: string, is: (module: string, attribute: string) => boolean): Promise<boolean> {
    const places = name ? await definitions(name) : [];
    return places.length > 0 && places.every((place) => is(OF_STUBS.exec(place.uri)?.[1] ?? "", attribute));
  }

  /** The board's own list decides, where there is one. */
  function isWhole(module: string, attribute: string): boolean {
    return names && membersOf(names, module) ? isLacking(module, attribute) : WHOLE.has(module);
  }

  function isLacking(module: string, attribute: string): boolean {
    const members = names && membersOf(names, module);
    return members !== undefined && !Object.hasOwn(members, attribute);
  }

  /** Returns true if a call is of a function that this program defines exactly once. */
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

/** Members that a program takes from plain names, which may be modules: `time.sleep`, `from time import sleep`. */
function membersIn(state: EditorState): { fault: SureFault; name: SyntaxNode; attribute: string }[] {
  const found: { fault: SureFault; name: SyntaxNode; attribute: string }[] = [];
  const add = (name: SyntaxNode, { from, to }: SyntaxNode, message: (attribute: string) => string) => {
    const attribute = state.sliceDoc(from, to);
    if (!attribute.startsWith("_")) found.push({ name, attribute, fault: { rule: ATTRIBUTE, message: message(attribute), from, to } });
  };
  syntaxTree(state).iterate({
    enter: ({ node }) => {
      const [first, last] = [node.firstChild, node.lastChild];
      if (node.name === "MemberExpression" && first?.name === "VariableName" && last?.name === "PropertyName") {
        add(first, last, (attribute) => `"${attribute}" is not a known attribute of module "{module}"`);
      }
      if (node.name === "ImportStatement" && first && state.sliceDoc(first.from, first.to) === "from") {
        const [name, keyword] = [first.nextSibling, first.nextSibling?.nextSibling];
        if (name?.name !== "VariableName" || keyword?.name !== "import") return;
        for (let one = keyword.nextSibling; one; one = one.nextSibling) {
          const isAlias = one.prevSibling?.name === "as";
          if (one.name === "VariableName" && !isAlias) add(name, one, (attribute) => `"${attribute}" is unknown import symbol`);
        }
      }
    },
  });
  return found;
}

/** Returns true if a program checks first, or handles the failure, and so may be right. */
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

/** Limit of faults to examine: nobody reads more at once, and each costs a query. */
const MOST = 100;
/** Message of basedpyright: `moduleUnknownMember`, `importSymbolUnknown` (localize.ts, en.json of version 1.39.4). */
const MEMBER = /^"[^"]+" is not a known attribute of module /;
const IMPORTED = /^"[^"]+" is unknown import symbol/;
/** `argPositionalExpectCount` and its like, `argMissingForParam(s)`, `paramNameMissing`. */
const COUNTS = /^(Expected \d+ (more )?positional arguments?|Arguments? missing for parameters? |No parameter named )/;
const QUOTED = /^"([^"]+)"/;
const OF_STUBS = new RegExp(`^file://(?:${TYPESHED}/stdlib|${STUBS})/(\\w+)(?:/__init__)?\\.pyi$`);
/**
 * The modules of which the stubs have every name that a board has, for one that has not listed its own; of others, such as `binascii`, `io`, `os` and `sys`,
 * they lack some.
 */
const WHOLE: ReadonlySet<string> = new Set(["array", "cmath", "cryptolib", "deflate", "errno", "gc", "hashlib", "heapq", "json", "math", "micropython", "random", "re", "select", "struct", "time", "uctypes"]);
const EXPECTING = /^\s*except\s*(:|.*\b(AttributeError|ImportError|NameError|TypeError|Exception|BaseException)\b)/m;
const ASKING = /\b(hasattr|dir|getattr|platform|implementation|uname|version|version_info)\b/;
