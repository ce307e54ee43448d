/** Part of `plug.test.js` that runs inside of a network of its own. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./app.js";
import { startBoard } from "./board.js";
import { Files } from "./files.js";

const ESPRESSIF = ["303a", "1001", "0001"];
const MICROBIT = ["0d28", "0204", "0002"];

const NUMBERS = ["e6614c311b4a12ab", "7cdfa1e0cd34"];

const [first, second] = [await startBoard({ number: NUMBERS[0] }), await startBoard({ number: NUMBERS[1] })];
let again, other, third;
const browser = await startBrowser({ serial: first.path });
const app = await browser.page();
try {
  await app.button("Raspberry Pi Pico 2e8a:0005").click();
  await app.waitForState("ready");
  await app.run("print('I was', 'here before')");
  await app.waitForText("I was here before");
  await app.waitForState("ready");

  await app.button("Add a board").click();
  await app.waitForState("loose");
  plug("add", "ttyACM1", second.path, ESPRESSIF);
  await app.button("Espressif 303a:1001").click();
  await app.waitForState("ready");
  await app.run("import time\nprint('I came', 'later')\ntime.sleep(60)");
  await app.waitForText("I came later");
  assert.equal(await app.page.locator("#boards .chip").count(), 2);

  // It is given a folder of this computer.
  await app.button("Stop").click();
  await app.waitForState("ready");
  const files = await Files.open(app, { list: false });
  await files.openFolder({ "helper.py": "word = 'from the folder'\n" });
  await app.button("Mount on the board").click();
  await app.button("On the board as /remote").waitFor();
  assert.equal(await app.exec("import helper\nprint(helper.word)"), "from the folder");
  await app.run("import time\nprint('I was', 'mounted')\ntime.sleep(60)");
  await app.waitForText("I was mounted");

  // The one works while the other is pulled out in the middle of its program.
  await app.page.locator("#boards .chip").first().click();
  await second.stop();
  plug("remove", "ttyACM1", second.path, ESPRESSIF);
  await app.page.locator("#boards .chip[data-state=lost]").waitFor();
  await app.run("print('I am', 'still here')");
  await app.waitForText("I am still here");
  await app.page.locator("#boards .chip[data-state=lost]").click();
  await app.page.locator("#loss", { hasText: "Connection lost" }).waitFor();
  await app.shot("one-of-two-lost");

  // The same one comes back, and the page takes it up again by itself.
  again = await startBoard({ number: NUMBERS[1] });
  plug("add", "ttyACM1", again.path, ESPRESSIF);
  await app.waitForState("ready");
  await app.waitForText("plugged in again");
  await app.button("On the board as /remote").waitFor();
  await app.waitForState("ready");
  assert.equal(await app.exec("import helper\nprint(helper.word)"), "from the folder");
  await app.run("print('I am', 'back')");
  await app.waitForText("I am back");
  await app.waitForState("ready");
  assert.equal(await app.page.locator("#boards .chip").count(), 2);
  await app.shot("plugged-in-again");

  await app.button("On the board as /remote").click();
  await app.button("Mount on the board").waitFor();
  await app.waitForState("ready");

  // Another one of its kind does not take its place: nothing is done to it, and the page says why.
  await again.stop();
  plug("remove", "ttyACM1", again.path, ESPRESSIF);
  await app.waitForState("lost");
  other = await startBoard({ number: "7cdfa1e0ffff" });
  plug("add", "ttyACM1", other.path, ESPRESSIF);
  await app.waitForState("ready");
  await app.run("print('I must', 'not run')");
  await app.page.locator("#loss", { hasText: /another board: Espressif 303a:1001 \(…ffff\), and not Espressif 303a:1001 \(…cd34\)/ }).waitFor();
  await app.shot("another-of-its-kind");
  assert.ok(!(await app.screen()).some((row) => row.includes("I must not run")));
  await other.stop();
  plug("remove", "ttyACM1", other.path, ESPRESSIF);
  again = await startBoard({ number: NUMBERS[1] });
  plug("add", "ttyACM1", again.path, ESPRESSIF);
  await app.waitForState("ready");
  await app.run("print('I was', 'expected')");
  await app.waitForText("I was expected");
  await app.waitForState("ready");

  // It goes for good, and another one takes its place.
  await again.stop();
  plug("remove", "ttyACM1", again.path, ESPRESSIF);
  await app.waitForState("lost");
  await app.button("Reconnect").click();
  await app.page.locator("#loss", { hasText: "not plugged in" }).waitFor();
  await app.shot("reconnect-in-vain");
  await app.button("Another board").click();
  await app.waitForState("ready");
  await app.button("Add a board").click();
  third = await startBoard();
  plug("add", "ttyACM2", third.path, MICROBIT);
  await app.button("BBC micro:bit 0d28:0204").click();
  await app.waitForState("ready");
  await app.run("print('I am', 'new')");
  await app.waitForText("I am new");
  await app.close();
} finally {
  await browser.close();
  await Promise.all([first, second, again, other, third].map((board) => board?.stop()));
}

function plug(action, name, device, ids) {
  execFileSync("python3", [fileURLToPath(new URL("plug.py", import.meta.url)), action, name, device, ...ids]);
}
