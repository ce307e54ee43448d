// The README's examples that need nothing to be plugged in, run in a page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";
import { examples } from "./readme.js";

const PRINTED = [
  "42\n",
  "tick\n tick\n tick\n KeyboardInterrupt",
  "ZeroDivisionError: divide by zero in line 2",
  "20000 bytes as METHOD log 1.csv 20000 there is no /nothing 20000",
  "0\n 1\n 4\n breakpoint in line 3 n 3 square 9",
  "2 steps keep squares.py  CREATE_FILE true  RUN_COMMAND true [0, 1, 4, 9, 16]",
  'squaring\n 144 arithmetic-error division by zero [{"candidate":"square","type":"function"}] (square n) interrupted',
];

const runnable = (await examples()).filter(({ runs }) => runs);

test("the README has an example for each answer that is expected here", () => {
  assert.equal(runnable.length, PRINTED.length);
});

for (const [i, { code }] of runnable.entries()) {
  test(`example ${i + 1} of the README prints what it says`, async (t) => {
    const page = await openPage(t, "isolated");
    const printed = await page.evaluate(run, code);
    // How fast the board has been decides how a file goes to it.
    // And on a busy machine it prints on for a while until Ctrl-C reaches it.
    const text = printed.join(" ").replace(/bytes as stream(Deflate)?\b/, "bytes as METHOD").replace(/(tick\n ){3,}/, "tick\n ".repeat(3));
    assert.ok(text.startsWith(PRINTED[i]), `it printed ${JSON.stringify(printed)}`);
  });
}

/** Runs a module in the page and answers what it wrote to the console. */
async function run(code) {
  const printed = [];
  console.log = (...values) => printed.push(...values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))));
  const entry = (_, part = "index") => JSON.stringify(new URL(`js/${part}.js`, location.href));
  const source = code.replace(/"flylead(?:\/([\w-]+))?"/g, entry);
  await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  return printed;
}
