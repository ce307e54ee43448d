/** The page as people get it: from `flylead serve`, on a free loopback port. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const PROGRAM = fileURLToPath(new URL("../../target/debug/flylead", import.meta.url));

/** A port of this computer that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await once(server.close(), "close");
  return port;
}

/**
 * `{ url, close }`, for a page that gets the `board` at a path if there is one, and packages from an `index`; `close` resolves when the server has ended. FLYLEAD_PAGE names a page that is served already, such
 * as Vite's while somebody works on it.
 */
export async function serve({ board, index } = {}) {
  if (process.env.FLYLEAD_PAGE) return { url: process.env.FLYLEAD_PAGE, close: async () => {} };
  assert.ok(existsSync(PROGRAM), "the command is not built: cargo xtask web, then cargo build -p flylead");
  const sharing = board ? ["--board", "--port", board] : [];
  const packages = index ? ["--index", index] : [];
  const server = spawn(PROGRAM, ["--json", "serve", "--listen", "127.0.0.1:0", ...sharing, ...packages], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const lines = createInterface({ input: server.stdout });
  const first = new Promise((resolve) => lines.once("line", resolve));
  const line = await Promise.race([first, ended.then((code) => assert.fail(`flylead serve ended at once, with ${code}`))]);
  return { url: JSON.parse(line).url, close: () => (server.kill("SIGINT"), ended) };
}
