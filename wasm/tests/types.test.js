// The declarations, held against how they are used and against what the package exports.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import * as agent from "flylead/agent";
import * as board from "flylead";
import * as debug from "flylead/debug";
import * as errors from "flylead/errors";
import * as exports from "flylead/export";
import * as flash from "flylead/flash";
import * as links from "flylead/links";
import * as mount from "flylead/mount";
import * as zylisp from "flylead/zylisp";
import * as server from "flylead/zylisp-server";

import { examples } from "./readme.js";

const FOLDER = new URL("types/generated/", import.meta.url);
const PARTS = {
  flylead: board,
  "flylead/agent": agent,
  "flylead/debug": debug,
  "flylead/errors": errors,
  "flylead/export": exports,
  "flylead/flash": flash,
  "flylead/links": links,
  "flylead/mount": mount,
  "flylead/zylisp": zylisp,
  "flylead/zylisp-server": server,
};

test("the declarations and every example of the README compile strictly, and nothing else is exported", async () => {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const blocks = await examples();
  assert.ok(blocks.length >= 6);
  const parts = Object.entries(PARTS).map(([name, part]) => everyName(name, part));
  const sources = [...blocks.map(({ code }) => code), ...parts];
  await Promise.all(sources.map((source, i) => writeFile(new URL(`${i}.ts`, FOLDER), source)));
  const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
  const project = fileURLToPath(new URL("types", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project]).catch((error) => error);
  assert.equal(stdout, "");
});

/** Compiles only if exactly these values are declared: a missing or additional name is an error. */
function everyName(name, part) {
  const names = Object.keys(part).map((name) => `${name}: 1`);
  return `import * as part from "${name}";\nexport const names: Record<keyof typeof part, 1> = { ${names.join(", ")} };\n`;
}
