// The call that is put into the interpreter, and what is done with a module that has no place for it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { patched } from "../js/browser-board/patch.js";

const MODULE = new URL("../node_modules/@micropython/micropython-webassembly-pyscript/micropython.wasm", import.meta.url);

test("the interpreter of this package gets its call, once, and is a valid module with the same imports and exports", async () => {
  const before = new Uint8Array(await readFile(MODULE));
  const after = patched(before);
  assert.ok(after.length > before.length && after.length < before.length + 64, `${after.length - before.length} bytes more`);
  const [old, now] = [new WebAssembly.Module(before), new WebAssembly.Module(after)];
  assert.deepEqual(WebAssembly.Module.imports(now), WebAssembly.Module.imports(old));
  assert.deepEqual(WebAssembly.Module.exports(now), WebAssembly.Module.exports(old));
});

test("a module that is built otherwise, cut off or none stays as it is", async () => {
  const whole = new Uint8Array(await readFile(MODULE));
  const others = [new Uint8Array(), whole.subarray(0, 8), Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), whole.subarray(0, 1000), whole.subarray(0, whole.length / 2)];
  for (const other of others) assert.equal(patched(other), other);
});
