/** The examples: each of them runs on the board in the page. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";

/** Output of each example; for those that end, the last part. */
const SHOWN = {
  Hello: "5 squared is 25",
  "Blink an LED": "off",
  "A button and an LED": "Press the button",
  "Count until stopped": "1 s",
  "Draw a sine": "*",
  "A mistake to find": "ZeroDivisionError",
  "What is on this board": "platform: webassembly",
  "Guess a number": "A number from 1 to 20?",
  "Two waves to plot": "sine: ",
  "A table in a file": "bytes in table.csv",
  "Taking turns": "all done",
  "How fast it is": "sum of a generator: ",
  "A logger for Experiments": "OK: sd_logger is ready",
};
/** Examples that run until they are stopped. */
const ENDLESS = ["Blink an LED", "A button and an LED", "Count until stopped", "Guess a number", "A logger for Experiments"];

describe("the examples", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("run on the board in the page, and are all here", async () => {
    const app = await browser.page();
    await app.connect();
    const names = await app.page.locator("#examples option:not([value=\"\"])").allInnerTexts();
    assert.deepEqual(names, Object.keys(SHOWN));
    for (const name of names) {
      await app.page.locator("#clear").click();
      await choose(app, name);
      await app.page.keyboard.press("Control+Enter");
      await app.waitForText(SHOWN[name]);
      if (ENDLESS.includes(name)) {
        await app.page.keyboard.press("Control+.");
        await app.waitForText("── stopped");
      } else if (name !== "A mistake to find") {
        await app.waitForText("── finished after");
      }
      await app.waitForState("ready");
      assert.equal(await app.page.locator("#problem").isVisible(), name === "A mistake to find", name);
    }
    await app.close();
  });

  test("the game is played to its end", async () => {
    const app = await browser.page();
    await app.connect();
    await choose(app, "Guess a number");
    await app.page.keyboard.press("Control+Enter");
    await app.waitForText("A number from 1 to 20?");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("many\n");
    await app.waitForText("Digits, please");
    // Half of what is left each time: the screen has room for all answers, wherever the number is.
    let [low, high, answer] = [1, 20, ""];
    for (let guesses = 1; !answer.startsWith("Found after"); guesses++) {
      const guess = (low + high) >> 1;
      await app.page.keyboard.type(`${guess}\n`);
      answer = await answerTo(app, guesses);
      if (answer === "More") low = guess + 1;
      if (answer === "Less") high = guess - 1;
      assert.ok(low <= high, `${answer} than ${guess}`);
    }
    await app.waitForState("ready");
    await app.close();
  });
});

/** Returns the game's answer to the guess of this number. */
async function answerTo(app, number) {
  await app.page.waitForFunction(
    ([pattern, number]) => [...document.querySelectorAll("#terminal .xterm-rows > div")].filter((row) => new RegExp(pattern).test(row.textContent)).length === number,
    [ANSWER.source, number],
  );
  return (await app.screen()).findLast((row) => ANSWER.test(row));
}

const ANSWER = /^(More|Less|Found)/;

async function choose(app, name) {
  await app.page.locator("#examples").selectOption(name);
  await app.page.waitForFunction((first) => [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n").startsWith(first), FIRST_LINES[name]);
}

/** First line of each example. */
const FIRST_LINES = {
  Hello: "import sys\n",
  "Blink an LED": "from machine import Pin\nimport time\n\nled",
  "A button and an LED": "from machine import Pin\nimport time\n\nbutton",
  "Count until stopped": "import time\n\nseconds",
  "Draw a sine": "import math, time\n\nfor step in range(60)",
  "A mistake to find": "def mean",
  "What is on this board": "import gc, os, sys",
  "Guess a number": "import random",
  "Two waves to plot": "import math, time\n\n# Press Plot",
  "A table in a file": "import os\n\n# A table",
  "Taking turns": "import time\n\n# Three tasks",
  "How fast it is": "import time\n\n# How long",
  "A logger for Experiments": "# A device for",
};
