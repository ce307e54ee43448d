/**
 * Measures the page's quality and speed: `cargo xtask bench page`. Nothing fails; figures of a busy
 * machine mean little.
 */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../../wasm/tests/browser.js";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";
import { freePort, serve } from "./server.js";

const LINES = 1_000_000;
const SIZE = 1_000_000;
const ROUNDS = 3;
/** An audit loads the page several times. */
const AUDIT_MS = 300_000;

await audit();
const browser = await startBrowser();
try {
  await firstLoad();
  await completion();
  await output();
  await transfers();
} finally {
  await browser.close();
}

/** Returns the scores of Lighthouse, and the faults that it found. */
async function audit() {
  const [server, port] = [await serve(), await freePort()];
  const audited = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", `--remote-debugging-port=${port}`] });
  try {
    const script = fileURLToPath(new URL("../tools/lighthouse/audit.js", import.meta.url));
    const { scores, interactiveMillis, missed } = JSON.parse((await promisify(execFile)(process.execPath, [script, server.url, String(port)], { timeout: AUDIT_MS })).stdout);
    console.log(`Lighthouse: ${Object.entries(scores).map(([name, score]) => `${name} ${score}`).join(", ")}; interactive after ${interactiveMillis} ms`);
    for (const one of missed) console.log(`  ${one}`);
  } finally {
    await audited.close();
    await server.close();
  }
}

/** Bytes on the wire, and the time until the editor can be typed into, in a browser that has never seen the page. */
async function firstLoad() {
  for (let round = 0; round < ROUNDS; round++) {
    const loaded = [];
    const app = await browser.page({ onResponse: (response) => loaded.push(response) });
    const millis = await app.page.evaluate(() => performance.now());
    await app.page.waitForLoadState("networkidle");
    const sizes = await Promise.all(loaded.map(async (response) => (await response.request().sizes()).responseBodySize));
    console.log(`first load: ${loaded.length} files, ${(sizes.reduce((sum, size) => sum + size, 0) / 1000).toFixed(1)} kB; the editor can be typed into after ${Math.round(millis)} ms`);
    await app.close();
  }
}

/** From the last letter to the list of what may follow, once everything that it needs is there. */
async function completion() {
  const app = await browser.page();
  await app.connect();
  for (let round = 0; round < ROUNDS; round++) {
    await app.write("import time\ntime.");
    const shown = app.page.evaluate(
      () =>
        new Promise((resolve) => {
          const began = performance.now();
          const look = () => (document.querySelector(".cm-tooltip-autocomplete li") ? resolve(performance.now() - began) : performance.now() - began > 10_000 ? resolve(undefined) : requestAnimationFrame(look));
          look();
        }),
    );
    await app.page.keyboard.press("Control+Space");
    const millis = await shown;
    console.log(millis === undefined ? "completion: nothing was offered within 10 s" : `completion of “time.”: ${Math.round(millis)} ms`);
    await app.page.keyboard.press("Escape");
  }
  await app.close();
}

/** A million printed lines, and how many frames were drawn meanwhile. */
async function output() {
  const app = await browser.page();
  await app.connect();
  await app.page.evaluate(() => {
    globalThis.frames = 0;
    globalThis.longest = 0;
    let before = performance.now();
    const count = (now) => {
      globalThis.frames++;
      globalThis.longest = Math.max(globalThis.longest, now - before);
      before = now;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  const began = performance.now();
  await app.run(`for n in range(${LINES}):\n    print(n)`);
  await app.waitForText("finished after", 600_000);
  const seconds = (performance.now() - began) / 1000;
  const { frames, longest } = await app.page.evaluate(() => ({ frames: globalThis.frames, longest: globalThis.longest }));
  console.log(`${LINES} lines: ${seconds.toFixed(1)} s, ${Math.round(frames / seconds)} frames a second, the longest ${Math.round(longest)} ms`);
  await app.close();
}

/** A file to the board in the page and back. */
async function transfers() {
  const app = await browser.page();
  await app.connect();
  const files = await Files.open(app);
  const content = Buffer.from(Uint8Array.from({ length: SIZE }, (_, at) => (Math.imul(at, 2654435761) >>> 13) & 255));
  for (let round = 0; round < ROUNDS; round++) {
    const name = `file${round}.bin`;
    const up = await timed(async () => {
      await files.upload([{ name, mimeType: "application/octet-stream", buffer: content }]);
      await files.waitForRow(`/${name}`);
    });
    await app.waitForState("ready");
    await files.select(`/${name}`);
    let download;
    const down = await timed(async () => (download = await files.download()));
    if (!content.equals(await readFile(await download.path()))) throw new Error("what came back is not what went up");
    await app.waitForState("ready");
    console.log(`1 MB to the board in the page: ${Math.round(up)} ms, and back: ${Math.round(down)} ms`);
  }
  await app.close();
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
