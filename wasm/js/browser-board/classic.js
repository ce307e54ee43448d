// MicroPython's module as a classic script. A worker in a frame without an origin is created from text, and Chromium
// (156) loads neither a module from the address of such a text, nor anything by `import()`.

/**
 * Expressions that are only valid in a module: the interpreter looks beside its own address for a file that it is given
 * anyway.
 */
const ADDRESS = '"https://board.invalid/micropython.mjs"';

/** Returns a script with the text of `micropython.mjs`, whose global `loadMicroPython` is a promise of the function. */
export function classic(module) {
  const script = module
    .replaceAll("import.meta.url", ADDRESS)
    .replace(/\bexport\s+default\s+(?=\w+\s*;)/g, "")
    .replace(/\bexport\s+(?=async\s+function\b|function\b|class\b|const\b)/g, "");
  return `"use strict";\nself.loadMicroPython = (async () => {\n${script}\nreturn loadMicroPython;\n})();\n`;
}
