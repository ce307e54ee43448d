/**
 * Measures the speed of the page: until one can type, and with files over Web Serial beside the
 * command. `npm run measure`.
 */

import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBrowser } from "./app.js";
import { startBoard } from "./board.js";
import { Files } from "./files.js";
import { PROGRAM } from "./server.js";

const SIZE = 1_000_000;
const ROUNDS = 3;
const content = Buffer.from(Uint8Array.from({ length: SIZE }, (_, at) => (Math.imul(at, 2654435761) >>> 13) & 255));

const board = await startBoard({ rawPaste: true });
const folder = await mkdtemp(join(tmpdir(), "flylead-"));
const browser = await startBrowser({ serial: board.path });
try {
  await untilUsable();
  const page = await inPage();
  const command = await byCommand();
  for (const way of ["up", "down"]) {
    console.log(`1 MB ${way}: page ${rate(page[way])}, command ${rate(command[way])}, ${(page[way] / command[way]).toFixed(2)} times its time`);
  }
} finally {
  await browser.close();
  await board.stop();
  await rm(folder, { recursive: true });
}

async function untilUsable() {
  for (let round = 0; round < ROUNDS; round++) {
    const app = await browser.page();
    const millis = await app.page.evaluate(() => performance.now());
    console.log(`the editor can be typed into ${Math.round(millis)} ms after the page was asked for`);
    await app.close();
  }
}

async function inPage() {
  const app = await browser.page();
  await app.button("Raspberry Pi Pico 2e8a:0005").click();
  await app.waitForState("ready");
  const files = await Files.open(app, { list: false });
  await app.page.locator(".start").click();
  await files.row("/flash").click();
  await files.row("/flash").and(app.page.locator("[aria-expanded=true]")).waitFor();
  await app.waitForState("ready");
  const best = { up: Infinity, down: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    const name = `page${round}.bin`;
    const up = timeTransfer(app);
    await files.upload([{ name, mimeType: "application/octet-stream", buffer: content }]);
    best.up = Math.min(best.up, await up);
    await files.waitForRow(`/flash/${name}`);
    await app.waitForState("ready");
    await files.select(`/flash/${name}`);
    const down = timeTransfer(app);
    const download = await files.download();
    best.down = Math.min(best.down, await down);
    if (!content.equals(await readFile(await download.path()))) throw new Error("what came back is not what went up");
    await app.waitForState("ready");
    await files.select("/flash");
  }
  await app.button("Disconnect").click();
  await app.waitForState("loose");
  await app.close();
  return best;
}

/** Measures the time for which the next transfer is shown, in milliseconds. */
function timeTransfer(app) {
  return app.page.evaluate(
    () =>
      new Promise((resolve) => {
        const place = document.querySelector(".transfer");
        let began;
        new MutationObserver(() => {
          if (!place.hidden) began ??= performance.now();
          else if (began) resolve(performance.now() - began);
        }).observe(place, { attributeFilter: ["hidden"] });
      }),
  );
}

/** The command as a person starts it: with its own start and its greeting of the board. */
async function byCommand() {
  const [here, back] = [join(folder, "up.bin"), join(folder, "down.bin")];
  await writeFile(here, content);
  const best = { up: Infinity, down: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    best.up = Math.min(best.up, time(["fs", "cp", here, ":/flash/command.bin"]));
    best.down = Math.min(best.down, time(["fs", "cp", ":/flash/command.bin", back]));
    await rm(back);
  }
  return best;
}

function time(words) {
  const began = performance.now();
  execFileSync(PROGRAM, ["--port", board.path, ...words], { stdio: "ignore" });
  return performance.now() - began;
}

function rate(millis) {
  return `${Math.round(millis)} ms (${Math.round(SIZE / millis)} kB/s)`;
}
