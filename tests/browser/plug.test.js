/** Boards that come and go while the page is open, on real Web Serial. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("boards are plugged in, worked with side by side, pulled out and plugged in again", { timeout: 300_000 }, async () => {
  // In a network of its own, where nobody else hears of boards that come and go.
  const [script, plug] = ["plug.js", "plug.py"].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const inside = ["--net", "--", "sh", "-c", 'python3 "$2" loopback && exec "$0" "$1"', process.execPath, script, plug];
  const rootless = process.getuid() === 0 ? [] : ["--user", "--map-root-user"];
  const child = spawn("unshare", [...rootless, ...inside], { stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  assert.equal(code, 0);
});
