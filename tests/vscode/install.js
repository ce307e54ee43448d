/** Finishes code-server, whose own script would download ripgrep: what VS Code needs is installed and compiled from npm's packages. */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = here("node_modules/code-server");
const DONE = `${SERVER}/lib/vscode/node_modules/.flylead`;
/** Parts with compiled code that VS Code cannot start without. */
const COMPILED = ["@vscode/spdlog", "node-pty", "native-watchdog"];
const QUIETLY = ["--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];

if (!existsSync(DONE)) {
  npm("install", "--omit=dev", "--ignore-scripts", "--legacy-peer-deps", ...QUIETLY);
  for (const name of COMPILED) npm("rebuild", name, ...QUIETLY);
  // It hashes passwords; the tests listen on loopback without one.
  writeFileSync(here("node_modules/argon2/argon2.js"), "module.exports = { hash: async () => '', verify: async () => false, needsRehash: () => false };\n");
  writeFileSync(DONE, "");
}

/** The scripts of some packages call npx, which asks before it fetches what they name. */
function npm(...args) {
  const env = { ...process.env, npm_config_yes: "true" };
  execFileSync("npm", args, { cwd: `${SERVER}/lib/vscode`, env, stdio: "inherit", shell: process.platform === "win32" });
}
