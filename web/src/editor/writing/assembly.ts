/** Functions of which MicroPython makes something else than Python: assembler of the chip, programs of the RP2's PIO. */

import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

export interface Range {
  from: number;
  to: number;
}

export function assemblyIn(state: EditorState): Range[] {
  const found: Range[] = [];
  ensureSyntaxTree(state, state.doc.length, PARSING_MS)?.iterate({
    enter: ({ name, node, from, to }) => {
      if (name !== "DecoratedStatement") return;
      const decorators = node.getChildren("Decorator").map((decorator) => state.sliceDoc(decorator.from, decorator.to));
      if (decorators.some((text) => ASSEMBLER.test(text))) found.push({ from, to });
    },
  });
  return found;
}

/** Decorators of `micropython` (docs/library/micropython.rst) and `rp2` (docs/library/rp2.rst). */
const ASSEMBLER = /^@\s*(\w+\.)*asm_(pio|thumb|xtensa|rv32)\b/;
/** More than a program of ten thousand lines takes. */
const PARSING_MS = 500;
