/** The part of Zylisp's syntax that an editor needs: colors, the call being typed, the end of a form. */

import { StreamLanguage } from "@codemirror/language";

/** Distinguishes comments, strings, numbers and special forms, so that brackets are only matched outside of strings. */
export const zylisp = StreamLanguage.define<{ inString: boolean }>({
  startState: () => ({ inString: false }),
  token(stream, state) {
    if (state.inString) return restOfString(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.eat(";")) return (stream.skipToEnd(), "comment");
    if (stream.eat('"')) return restOfString(stream, state);
    if (stream.eat(/[()]/)) return "bracket";
    if (stream.eat("'")) return "keyword";
    stream.eatWhile(NAME);
    const word = stream.current();
    if (/^-?\d+$/.test(word)) return "number";
    return SPECIAL.has(word) ? "keyword" : "variableName";
  },
});

function restOfString(stream: { next(): string | void; eol(): boolean }, state: { inString: boolean }): string {
  state.inString = true;
  while (!stream.eol()) {
    const character = stream.next();
    if (character === "\\") stream.next();
    if (character !== '"') continue;
    state.inString = false;
    break;
  }
  return "string";
}

/** Returns the name at the end of `text`; empty if there is none. */
export function nameBefore(text: string): string {
  return /[^\s()"';]*$/.exec(text)![0];
}

/** Returns the function whose call is being typed at the end of `text`: that of the innermost open list. */
export function called(text: string): string | undefined {
  const open: number[] = [];
  for (const { token, at } of tokens(text)) {
    if (token === "(") open.push(at);
    if (token === ")") open.pop();
  }
  const start = open.at(-1);
  if (start === undefined) return undefined;
  return /^\s*([^\s()"';]+)/.exec(text.slice(start + 1))?.[1];
}

/** Returns the offset after the form that begins at `from`; after the last token if the form is incomplete. */
export function endOfForm(text: string, from: number): number {
  let depth = 0;
  for (const { token, at } of tokens(text.slice(from))) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth <= 0 && token !== "'") return from + at + token.length;
  }
  return text.trimEnd().length;
}

/** Returns the offset of a line and a column, both from 1, where columns count bytes of UTF-8. */
export function offsetOf(text: string, line: number, column: number): number | undefined {
  const lines = text.split("\n");
  const found = lines[line - 1];
  if (found === undefined) return undefined;
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const before = new TextDecoder().decode(new TextEncoder().encode(found).subarray(0, column - 1));
  return start + before.length;
}

/** Yields brackets, strings and words with their offsets; comments and blanks are left out. */
function* tokens(text: string): Generator<{ token: string; at: number }> {
  for (const match of text.matchAll(/;[^\n]*|"(?:\\[^]|[^"\\])*"?|'|[()]|[^\s()"';]+/g)) {
    if (!match[0].startsWith(";")) yield { token: match[0], at: match.index };
  }
}

const NAME = /[^\s()"';]/;
const SPECIAL = new Set(["define", "lambda", "if", "quote", "let", "cond", "begin", "else"]);
