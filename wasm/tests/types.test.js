// The declarations, held against how they are used and against what the package exports.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import * as board from "flylead";
import * as agent from "flylead/agent";
import * as exports from "flylead/export";
import * as zylisp from "flylead/zylisp";

import { examples } from "./readme.js";

const FOLDER = new URL("types/readme/", import.meta.url);

test("the declarations and every example of the README compile strictly", async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const blocks = await examples();
  assert.ok(blocks.length >= 6);
  await Promise.all(blocks.map(({ code }, i) => writeFile(new URL(`${i}.ts`, FOLDER), code)));
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const project = fileURLToPath(new URL("types", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project]).catch((error) => error);
  assert.equal(stdout, "");
});

const PARTS = { index: board, agent, export: exports, zylisp };

for (const [name, part] of Object.entries(PARTS)) {
  test(`what is declared in ${name}.d.ts is exported, and nothing else`, async () => {
    const text = await readFile(new URL(`../types/${name}.d.ts`, import.meta.url), "utf8");
    const declared = [...text.matchAll(/^export (?:function |class |\{ )(\w+)/gm)].map(([, name]) => name);
    assert.deepEqual(Object.keys(part).sort(), declared.sort());
  });

  test(`what is declared of the classes in ${name}.d.ts is there`, async () => {
    const text = await readFile(new URL(`../types/${name}.d.ts`, import.meta.url), "utf8");
    await part.init();
    for (const [, name, body] of text.matchAll(/^export class (\w+).*?{\n(.*?)^}/gms)) {
      const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member);
      assert.deepEqual(members.filter((member) => !(member in part[name].prototype)), []);
    }
  });
}
