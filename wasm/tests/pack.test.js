// The package as npm would publish it, in a new project that follows the README.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { openBrowser } from "./browser.js";
import { examples } from "./readme.js";
import { serve } from "./server.js";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));
const run = promisify(execFile);

test("a new Vite project installs the package and runs the README's first example", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "flylead-"));
  t.after(() => rm(folder, { recursive: true }));
  const npm = (...args) => run("npm", args, { cwd: folder });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: PACKAGE });
  const [archive] = await readdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  await npm("install", "--no-audit", "--no-fund", "--prefer-offline", `./${archive}`, "vite@8");

  const [{ code }] = (await examples()).filter(({ runs }) => runs);
  await writeFile(join(folder, "main.ts"), code);
  await writeFile(join(folder, "index.html"), '<!doctype html><script type="module" src="main.ts"></script>');
  const config = 'export default { base: "./", build: { target: "es2023" }, worker: { format: "es" } };';
  await writeFile(join(folder, "vite.config.js"), config);
  await npm("exec", "vite", "build");

  const server = await serve(pathToFileURL(join(folder, "dist/")));
  t.after(server.stop);
  const page = await openBrowser(t);
  const printed = page.waitForEvent("console", (message) => message.type() === "log");
  await page.goto(`${server.origin}/isolated/index.html`);
  assert.equal((await printed).text(), "42\n");
});
