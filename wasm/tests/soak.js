// Two minutes (or SECONDS) at full speed: one board prints without pause while files move to and from another, in one page. Prints
// what the page's memory does; fails when a line is lost or a file comes back changed. `npm run soak [-- SECONDS]`

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { chromium } from "playwright-core";

import { CHROMIUM } from "./browser.js";
import { startBoard } from "./real-board.js";
import { serve } from "./server.js";

const SECONDS = Number(process.argv[2] ?? 120);
// A serial port of 10 Mbit/s: faster than any board on USB prints.
const PAUSE = 10;
/**
 * Amount that garbage collection may leave behind, and that the WebAssembly's memory may grow by; a
 * short run is still warming up.
 */
const SLACK = SECONDS < 60 ? { heap: 24e6, wasm: 4e6 } : { heap: 8e6, wasm: 65_536 };

const printing = await startBoard({ pause: PAUSE });
const filing = await startBoard();
const server = await serve();
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--js-flags=--expose-gc"],
});
try {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/plain/`);
  await page.evaluate(begin, [printing.url, filing.url]);
  const samples = [];
  for (let second = 0; second < SECONDS; second += SECONDS / 12) {
    await sleep((SECONDS / 12) * 1000);
    samples.push(await page.evaluate(() => soak.sample()));
    console.log(describe(samples.at(-1)));
  }
  const { lines, dropped, fault, transfers } = await page.evaluate(() => soak.end());
  console.log(`${lines} lines in order, ${dropped} bytes dropped, ${transfers} transfers with equal contents`);
  assert.equal(fault, undefined);
  assert.equal(dropped, 0);
  assert.ok(lines > 0 && transfers > 0);
  // What is alive at one moment depends on the file that is on its way: the least of each half tells whether it grows.
  const least = (some, what) => Math.min(...some.map((sample) => sample[what]));
  const [early, late] = [samples.slice(0, 6), samples.slice(6)];
  assert.ok(least(late, "heap") < least(early, "heap") + SLACK.heap, "the page's heap grows");
  assert.ok(least(late, "wasm") <= least(early, "wasm") + SLACK.wasm, "the WebAssembly's memory grows");
} finally {
  await browser.close();
  server.stop();
  await Promise.all([printing.stop(), filing.stop()]);
}

function describe({ seconds, heap, wasm, lines, transfers, waiting }) {
  const mega = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  return `${seconds.toFixed(0).padStart(4)} s  heap ${mega(heap)}  WebAssembly ${mega(wasm)}  ${lines} lines  ${transfers} transfers  ${waiting} bytes behind`;
}

/** In the page. */
async function begin([printingUrl, filingUrl]) {
  const memories = [];
  const instantiate = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...values) => {
    const made = await instantiate.apply(WebAssembly, values);
    memories.push(made.instance.exports.memory);
    return made;
  };
  const flylead = await import("./js/index.js");
  await flylead.init();
  const open = async (url) => flylead.Board.attach(await flylead.openSocket(url));
  const printer = await open(printingUrl);
  const filer = await open(filingUrl);
  const began = performance.now();
  const state = { lines: 0, transfers: 0, fault: undefined, stopping: false };

  const run = printer.run("n = 0\nwhile True:\n    print('line', n)\n    n += 1\n");
  const reading = (async () => {
    let rest = "";
    for await (const text of run) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop();
      for (const line of lines) {
        if (state.stopping) return;
        if (line !== `line ${state.lines}`) state.fault ??= `expected line ${state.lines}, found ${JSON.stringify(line)}`;
        state.lines++;
      }
    }
  })();

  const moving = (async () => {
    while (!state.stopping) {
      const size = 1 + Math.floor(Math.random() * 300_000);
      const content = Uint8Array.from({ length: size }, (_, i) => (Math.imul(i + state.transfers, 2654435761) >>> 13) & 255);
      await filer.files.write("/flash/soak.bin", content);
      const back = await filer.files.read("/flash/soak.bin");
      const isSame = back.length === size && back.every((byte, i) => byte === content[i]);
      if (!isSame) state.fault ??= `transfer ${state.transfers} came back changed`;
      state.transfers += 2;
    }
  })();

  const sample = () => {
    gc();
    return {
      seconds: (performance.now() - began) / 1000,
      heap: performance.memory.usedJSHeapSize,
      wasm: memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0),
      lines: state.lines,
      transfers: state.transfers,
      waiting: run.dropped,
    };
  };
  const end = async () => {
    state.stopping = true;
    await printer.interrupt();
    await Promise.all([reading, moving, run.done.catch(() => {})]);
    return { ...state, dropped: run.dropped };
  };
  globalThis.soak = { sample, end };
}
