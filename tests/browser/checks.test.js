/** Checks while a program is written: by the real Ruff, which comes when somebody writes. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { view } from "./axe.js";

describe("a program that is written", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page({ help: true, keeper: true })));
  afterEach(() => app.close());

  test("has its mistake underlined and named with its rule, until it is mended; it is laid out, and undo brings it back", async () => {
    await app.write("def area(r):\n    return 3.14*r*radius\n");
    await mistakes(app, ["radius"]);
    await app.page.keyboard.press("F8");
    await app.page.locator(".cm-tooltip-lint", { hasText: "Undefined name `radius`" }).getByText("ruff F821").waitFor();
    await view(app, "check");
    await app.page.keyboard.press("Escape");
    const layout = "def area(r):\n    return 3.14*r*r\n";
    await app.write(layout);
    await mistakes(app, []);
    await app.page.keyboard.press("Shift+Alt+F");
    await text(app, "def area(r):\n    return 3.14 * r * r\n");
    await app.page.keyboard.press("Control+z");
    await text(app, layout);
    await app.write("import os\nif True\n    pass\n");
    await app.page.keyboard.press("Shift+Alt+F");
    await app.page.locator("#toast", { hasText: "This is not formatted, for it is no Python yet: line 2" }).waitFor();
    await app.write("print(nowhere)\n");
    await mistakes(app, ["nowhere"]);
    await app.button("Settings").click();
    await app.page.getByRole("dialog").getByText("Help at writing programs").click();
    await mistakes(app, []);
    await app.page.getByRole("dialog").getByText("Help at writing programs").click();
    await mistakes(app, ["nowhere"]);
  });

  test("may have what MicroPython has, and not what it has not", async () => {
    await app.write(MICROPYTHON);
    await mistakes(app, ["match", "nowhere"]);
    await app.page.keyboard.press("Control+Shift+M");
    await app.page.locator(".cm-panel-lint li", { hasText: "Cannot use `match` statement in MicroPython" }).waitFor();
    await view(app, "checks");
    await app.page.locator(".cm-panel-lint li", { hasText: "nowhere" }).waitFor();
    await app.write("from microbit import *\n\ndisplay.scroll(const(3))\nmatch 3:\n    case _: pass\n");
    await mistakes(app, ["match"]);
  });

  test("is written, kept and run without a network, which is said; the checks come with it, and stay when it goes again", async () => {
    await app.page.evaluate(() => navigator.serviceWorker.ready);
    await app.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const context = app.page.context();
    await context.setOffline(true);
    await app.write("print('far')\nprint(home)\n");
    await app.page.locator("#toast", { hasText: "could not be loaded: this browser has not kept them yet" }).waitFor();
    await app.run("print('far', 'from', 'home')\n");
    await app.waitForText("far from home");
    await app.waitForState("ready");
    await context.setOffline(false);
    await app.write("print(home)\n");
    await mistakes(app, ["home"]);
    await context.setOffline(true);
    await app.open();
    await app.write("print(away)\n");
    await mistakes(app, ["away"]);
    app.forgive(/ERR_INTERNET_DISCONNECTED/);
  });
});

describe("a copy of the page without the checks", () => {
  test("says so to who wants a program laid out, and is silent otherwise", async () => {
    const browser = await startBrowser();
    const app = await browser.page({ help: true });
    await app.page.route(/ruff_wasm_bg/, (route) => route.fulfill({ status: 404 }));
    const refused = app.page.waitForResponse(/ruff_wasm_bg/);
    await app.write("print( 1 )\n");
    await refused;
    await app.page.keyboard.press("Shift+Alt+F");
    await app.page.locator("#toast", { hasText: "This copy of the page comes without checks" }).waitFor();
    await text(app, "print( 1 )\n");
    app.forgive(/404/);
    await app.close();
    await browser.close();
  });
});

/** Waits until these are what is underlined, in the order of the text. */
async function mistakes(app, wanted) {
  await app.page.waitForFunction(
    (wanted) => {
      const found = [...document.querySelectorAll("#editor .cm-lintRange:not(.cm-lintRange-active)")].map((mark) => mark.textContent);
      return JSON.stringify(found) === JSON.stringify(wanted);
    },
    wanted,
  );
}

/** Waits until this is what the editor has. */
async function text(app, wanted) {
  await app.page.waitForFunction(
    (wanted) => [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n") === wanted,
    wanted,
  );
}

const MICROPYTHON = `from microbit import display
import rp2
from machine import Pin

LED = const(25)

@micropython.native
def count(n):
    while (n := n - 1):
        display.scroll(n)

@micropython.viper
def first(data: ptr8) -> uint:
    return uint(data[0])

@micropython.asm_thumb
def add(r0, r1):
    label(START)
    add(r0, r0, r1)

@rp2.asm_pio(set_init=rp2.PIO.OUT_LOW)
def blink():
    wrap_target()
    set(pins, 1) [31]
    wrap()

match LED:
    case 25: print(Pin(LED), nowhere)
`;
