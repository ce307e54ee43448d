/** Tools for editing: search, automatic closing brackets, completion, Python's indentation, keys for problems. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { pythonLanguage } from "@codemirror/lang-python";
import { LanguageSupport } from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { isPython } from "./names.ts";
import { ownNames } from "./own-names.ts";

/** Returns the tools for a document of this name. */
export function toolsFor(name: string): Extension {
  return [
    closeBrackets(),
    autocompletion(),
    highlightSelectionMatches(),
    keymap.of([...closeBracketsKeymap, ...searchKeymap, ...completionKeymap, ...lintKeymap]),
    isPython(name) ? python : [],
  ];
}

/** Python with the program's own names. `python()` of `@codemirror/lang-python` adds CPython's, which boards lack in part. */
const python = new LanguageSupport(pythonLanguage, pythonLanguage.data.of({ autocomplete: ownNames }));
