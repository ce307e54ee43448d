/** Peers at a port that are no board at its prompt: the page says what they are, and the next step, as the command does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { startBrowser } from "./app.js";
import { startStranger } from "./board.js";

const KINDS = ["loopback", "silent", "esp", "esp-without-firmware", "circuitpython", "computer", "program", "other-speed"];
/** Kinds on which MicroPython may be missing: the page offers to put it there. */
const WITHOUT_MICROPYTHON = ["silent", "esp", "esp-without-firmware", "circuitpython"];
/** Browsers at the same time: they mostly wait. */
const AT_ONCE = 4;

test("each peer that is no board is named with its next step", { timeout: 300_000 }, async () => {
  for (let first = 0; first < KINDS.length; first += AT_ONCE) await Promise.all(KINDS.slice(first, first + AT_ONCE).map(isNamed));
});

async function isNamed(kind) {
  const stranger = await startStranger(kind);
  const browser = await startBrowser({ serial: stranger.path });
  try {
    const app = await browser.page();
    await app.button("Raspberry Pi Pico 2e8a:0005").click();
    await app.waitForState("ready");
    await app.run("print('hello')");
    await app.waitForState("lost");
    const said = await app.page.locator("#loss-why").textContent();
    assert.ok(said.includes(stranger.sentence), `${kind}: ${stranger.sentence}: ${said}`);
    assert.ok(await app.button("Reconnect").isVisible(), kind);
    assert.equal(await app.button("Flash firmware…").isVisible(), WITHOUT_MICROPYTHON.includes(kind), kind);
    await app.close();
  } finally {
    await browser.close();
    await stranger.stop();
  }
}
