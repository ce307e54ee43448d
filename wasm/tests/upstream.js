// MicroPython's own tests on the board in the page, in headless Chromium: `npm run upstream -- FOLDER`, where FOLDER is `tests` of a checkout
// of MicroPython. Expected output is in the `.exp` beside a test, or is CPython's. Prints a line for each folder, and the names of what fails.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { chromium } from "playwright-core";

import { CHROMIUM } from "./browser.js";
import { serve } from "./server.js";

/** Folders that are about the language and the modules of this board; the others need hardware, threads, sockets, files or native code. */
const FOLDERS = ["basics", "float", "extmod", "io", "micropython", "misc", "stress", "unicode"];
/** Tests of native code, which this board lacks. */
const NATIVE = /^(native|viper)_/;
const LIMIT = 20_000;

const root = process.argv[2];
const only = process.argv[3];
if (!root) throw new Error("usage: npm run upstream -- FOLDER [NAME]");
const server = await serve();
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/isolated/`);
  await page.evaluate(open, filesOf("io", "unicode"));
  const failed = [];
  for (const folder of FOLDERS) {
    const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".py") && (!only || name.includes(only)));
    const count = { passed: 0, skipped: 0, failed: 0 };
    for (const name of names) {
      const outcome = NATIVE.test(name) ? { result: "skipped", printed: "" } : await attempt(page, join(root, folder, name));
      count[outcome.result] += 1;
      if (outcome.result === "failed") failed.push(`${folder}/${name}`);
      if (only || process.env.VERBOSE) console.log(`${folder}/${name}: ${outcome.result}\n${outcome.printed}`);
    }
    console.log(`${folder.padEnd(12)} ${count.passed} passed, ${count.failed} failed, ${count.skipped} not for this board`);
  }
  console.log(`failed: ${failed.join(" ")}`);
} finally {
  await browser.close();
  server.stop();
}

/** Files that tests read, as the board is to have them. */
function filesOf(...folders) {
  const found = folders.flatMap((folder) => readdirSync(join(root, folder, "data")).map((name) => [`/data/${name}`, readFileSync(join(root, folder, "data", name), "latin1")]));
  return { "/data": null, ...Object.fromEntries(found) };
}

async function attempt(page, path) {
  const printed = plain(await page.evaluate(run, [readFileSync(path, "utf8"), LIMIT]));
  if (/^SKIP(-TOO-LARGE)?$/m.test(printed)) return { result: "skipped", printed };
  return { result: matches(expected(path), printed) ? "passed" : "failed", printed };
}

function expected(path) {
  if (existsSync(`${path}.exp`)) return readFileSync(`${path}.exp`, "utf8");
  try {
    const options = { cwd: dirname(path), env: { ...process.env, PYTHONIOENCODING: "utf-8", MICROPYPATH: "" }, stdio: ["ignore", "pipe", "pipe"], timeout: LIMIT };
    return plain(String(execFileSync("python3", ["-BS", path], options)));
  } catch (error) {
    return plain(String(error.stdout ?? ""));
  }
}

/** Compares like the runner of MicroPython: `########` is any number of lines, and a line may have a pattern (tests/run-tests.py). */
function matches(expected, printed) {
  const lines = expected.trimEnd().split("\n");
  if (!lines.some((line) => line.includes("########") || line.startsWith("\\."))) return expected.trimEnd() === printed.trimEnd();
  const escaped = lines.map((line) => (line === "########" ? "(?:.*\\n)*?" : `${line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("########", ".*")}\\n`));
  return new RegExp(`^${escaped.join("")}$`).test(`${printed.trimEnd()}\n`);
}

function plain(text) {
  return text.replaceAll("\r\n", "\n");
}

async function open(texts) {
  const flylead = await import("./js/index.js");
  await flylead.init();
  const module = new URL("node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs", location.href);
  const files = Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text === null ? null : Uint8Array.from(text, (letter) => letter.charCodeAt(0))]));
  globalThis.start = async () => {
    globalThis.link = await flylead.openBrowserBoard({ module, files });
    globalThis.board = flylead.Board.attach(link);
  };
  await start();
}

/** Runs a program on a board that was reset, and answers what it printed with what it raised. */
async function run([source, limit]) {
  const late = (millis) => new Promise((resolve) => setTimeout(resolve, millis, "late"));
  try {
    const reset = board.softReset().catch(() => "late");
    if ((await Promise.race([reset, late(limit)])) === "late") throw new Error("late");
    const program = board.exec(source).then(({ stdout, stderr }) => stdout + (stderr ?? ""), (error) => `${error.stdout ?? ""}${error.traceback?.text ?? error.message}`);
    const printed = await Promise.race([program, late(limit)]);
    if (printed !== "late") return printed;
  } catch {
    // Another board takes its place.
  }
  await link.close();
  await start();
  return "it did not end";
}
