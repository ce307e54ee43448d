// References of an interpreter to its objects, which JavaScript holds and frees.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { withImports } from "../js/browser-board/imports.js";
import { addresses } from "../js/browser-board/node.js";

test("an interpreter that a reset has replaced frees nothing of the next one", async () => {
  const Registry = globalThis.FinalizationRegistry;
  // As in the board's worker: the port takes a process of this type for no Node.
  process.type = "renderer";
  globalThis.WorkerGlobalScope = true;
  const registries = [];
  globalThis.FinalizationRegistry = class {
    constructor(free) {
      Object.assign(this, { free, references: [] });
      registries.push(this);
    }
    register(_, reference) {
      this.references.push(reference);
    }
  };
  try {
    const [script, address] = addresses;
    const { loadMicroPython } = await import(script);
    const module = await WebAssembly.compile(await readFile(new URL(address)));
    const idle = () => 0;
    const start = async () => {
      const taken = [];
      const keyboard = { take: (one) => void taken.push(one) };
      const python = await withImports(module, { ticks: idle, look: idle, print: idle, mayAdd: () => 1 << 20, resize: (grow, size) => grow(size), keyboard }, () => loadMicroPython({ url: "data:application/wasm," }));
      python.registerJsModule("_keyboard", keyboard);
      python.runPython("from _keyboard import take\ntake(lambda: 6 * 7)");
      return taken[0];
    };
    assert.equal((await start())(), 42);
    const before = [...registries];
    const second = await start();
    assert.ok(before.some(({ references }) => references.length > 0), "the first interpreter has given a function away");
    for (const { free, references } of before) references.forEach(free);
    assert.equal(second(), 42);
  } finally {
    globalThis.FinalizationRegistry = Registry;
    delete process.type;
    delete globalThis.WorkerGlobalScope;
  }
});
