// The soak for a few seconds, so that it is known to work when somebody lets it run for long.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOAK = fileURLToPath(new URL("soak.js", import.meta.url));

test("a board prints without pause while files move: nothing is lost, and memory stays", async () => {
  const soak = spawn(process.execPath, [SOAK, "8"], { stdio: ["ignore", "pipe", "inherit"], timeout: 100_000 });
  let said = "";
  soak.stdout.on("data", (text) => (said += text));
  const [code] = await once(soak, "close");
  console.log(said);
  assert.equal(code, 0);
  assert.match(said, /\d+ lines in order, 0 bytes dropped, \d+ transfers with equal contents/);
});
