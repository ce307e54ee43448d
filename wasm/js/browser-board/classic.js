// MicroPython's module as a classic script. A worker in a frame without an origin is made of text, and Chromium (156) loads no module
// from the address of such a text, and nothing by `import()`.

/** Expressions that only a module has: the interpreter looks beside its own address for a file that it is handed in. */
const ADDRESS = '"https://board.invalid/micropython.mjs"';

/** A script whose global `loadMicroPython` is a promise of the function, of the text of `micropython.mjs`. */
export function classic(module) {
  const script = module
    .replaceAll("import.meta.url", ADDRESS)
    .replace(/\bexport\s+default\s+(?=\w+\s*;)/g, "")
    .replace(/\bexport\s+(?=async\s+function\b|function\b|class\b|const\b)/g, "");
  return `"use strict";\nself.loadMicroPython = (async () => {\n${script}\nreturn loadMicroPython;\n})();\n`;
}
