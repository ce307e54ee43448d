/** The drawn board: programs of the makers' quick references run on it, and what they do is seen. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { view } from "./axe.js";
import { PROGRAMS } from "./programs.js";

describe("the drawn board", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  for (const machine of ["pico", "esp32"]) {
    test(`runs ${PROGRAMS[machine].length} programs of the quick reference for the ${machine}`, async (t) => {
      const open = async () => {
        const app = await browser.page({ before: (context) => context.addInitScript(like, machine) });
        await app.connect();
        return app;
      };
      let app = await open();
      for (const program of PROGRAMS[machine]) {
        let isStuck = false;
        await t.test(program.heading, { timeout: 20_000 }, () => runs(app, program).catch((error) => ((isStuck = true), told(app, error))));
        // A board that one program has taken away is not to fail the others.
        if (isStuck) app = await open();
      }
      await app.close();
    });
  }
});

describe("the drawn board as people meet it", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page()));
  afterEach(() => app.close());

  test("shows all kinds of parts to everyone, is closed when it is unwanted, and becomes another machine", async () => {
    await app.connect();
    assert.ok(await app.page.locator("#pins").isHidden(), "nothing uses a pin");
    await app.run(EVERYTHING);
    await app.waitForText("finished after");
    await app.page.locator("[data-part='oled:3c']").waitFor();
    await view(app, "pins");
    await app.page.getByRole("slider", { name: "Voltage at GP26" }).press("Home");
    assert.equal(await app.page.getByRole("slider", { name: "Voltage at GP26" }).getAttribute("aria-valuetext"), "0.00 V");
    await app.button("Pins").click();
    await app.run(EVERYTHING);
    await app.waitForText("finished after");
    await app.waitForState("ready");
    assert.ok(await app.page.locator("#pins").isHidden(), "the person has closed it");
    await app.button("Pins").click();
    await app.page.locator("#pins select").selectOption("esp32");
    await app.waitForState("ready");
    await app.page.getByRole("img", { name: "ESP32, LED on the board: off" }).waitFor();
    assert.equal(await app.exec("import esp, os\ns = os.statvfs('/')\nprint(esp.flash_size(), s[0] * s[2])"), "4194304 2097152");
  });

  test("comes with a part and not with an import, is pressed by a screen reader, and asks before it ends a program", async () => {
    await app.connect();
    await app.exec("import machine");
    assert.ok(await app.page.locator("#pins").isHidden(), "no part is there");
    await app.run("from machine import Pin\nimport time\nbutton = Pin(14, Pin.IN, Pin.PULL_UP)\nprint('now')\nwhile button():\n    time.sleep_ms(20)\nprint('down')\nwhile not button():\n    time.sleep_ms(20)\nprint('up again')\ntime.sleep(600)");
    await app.waitForLastRow("now");
    await app.page.getByRole("button", { name: "Button at GP14" }).evaluate((button) => button.click());
    await app.waitForLastRow("up again");
    const machines = app.page.locator("#pins select");
    await machines.selectOption("esp32");
    await app.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await app.page.waitForFunction(() => document.querySelector("#pins select").value === "pico");
    await app.waitForState("running");
    await machines.selectOption("esp32");
    await app.page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await app.waitForState("ready");
    await app.exec("from machine import Pin\nPin(4, Pin.OUT)");
    await app.page.getByRole("img", { name: "LED at GPIO4: off" }).waitFor();
  });

  test("lets go of a button that goes away, and forgets what a board showed that was cut off", async () => {
    await app.connect();
    await app.run("from machine import Pin\nimport time\nbutton = Pin(14, Pin.IN, Pin.PULL_UP)\nprint('now')\nwhile button():\n    time.sleep_ms(20)\nPin(14, Pin.OUT)\ntime.sleep_ms(200)\nprint('down', Pin(14, Pin.IN).value())");
    await app.waitForLastRow("now");
    await app.page.getByRole("button", { name: "Button at GP14" }).focus();
    await app.page.keyboard.down(" ");
    await app.waitForText("down 1");
    await app.page.keyboard.up(" ");
    await app.waitForState("ready");
    await app.run("from machine import Pin\nPin(15, Pin.OUT)\nprint('busy')\nsum(range(1 << 29))");
    await app.page.locator("[data-part='out:15']").waitFor();
    await app.page.keyboard.press("Control+.");
    await app.waitForState("ready");
    await app.page.waitForFunction(() => !document.querySelector("[data-part]"));
  });

  test("shows each board's own parts, positions and machine", async () => {
    await app.connect();
    await app.exec("from machine import ADC, Pin\nADC(26)\nPin(15, Pin.OUT)");
    await app.page.getByRole("slider", { name: "Voltage at GP26" }).press("Home");
    await app.button("Add a board").click();
    await app.waitForState("loose");
    await app.connect();
    await app.exec("from machine import ADC\nprint(ADC(26).read_u16())");
    const slider = app.page.getByRole("slider", { name: "Voltage at GP26" });
    assert.equal(await slider.getAttribute("aria-valuetext"), "1.65 V");
    const parts = () => app.page.evaluate(() => [...document.querySelectorAll("[data-part]")].map(({ dataset }) => dataset.part).sort());
    assert.deepEqual(await parts(), ["adc:26"]);
    await app.page.locator("#pins select").selectOption("esp32");
    await app.waitForState("ready");
    await app.page.locator("#boards .chip").first().click();
    await app.page.getByRole("img", { name: "Pico, LED on the board: off" }).waitFor();
    assert.deepEqual(await parts(), ["adc:26", "out:15"]);
    assert.equal(await slider.getAttribute("aria-valuetext"), "0.00 V");
    assert.equal(await app.exec("from machine import ADC\nprint(ADC(26).read_u16())"), "0");
  });

  test("takes nothing of a program for an invalid part, and goes on after a flood", async () => {
    await app.connect();
    await app.exec(HOSTILE);
    assert.equal(await app.exec("from machine import Pin\nled = Pin(15, Pin.OUT)\nfor i in range(200001):\n    led.toggle()\nprint(led())"), "1");
    await app.page.getByRole("img", { name: "LED at GP15: on" }).waitFor();
    assert.deepEqual(await app.page.evaluate(() => [...document.querySelectorAll("[data-part]")].map(({ dataset }) => dataset.part)), ["out:15"]);
  });
});

const EVERYTHING = `from machine import Pin, PWM, ADC, I2C
import ssd1306, neopixel, dht
Pin("LED", Pin.OUT, value=1)
PWM(Pin(15), freq=1000, duty_u16=30000)
Pin(14, Pin.IN, Pin.PULL_UP)
ADC(26)
lights = neopixel.NeoPixel(Pin(16), 20)
for i in range(20):
    lights[i] = (10 * i, 200 - 10 * i, 80)
lights.write()
dht.DHT22(Pin(2))
display = ssd1306.SSD1306_I2C(128, 64, I2C(0, scl=Pin(1), sda=Pin(0)))
display.text("Hello", 40, 28)
display.rect(0, 0, 128, 64, 1)
display.show()
`;

/** By the bridge itself, which a program can import. */
const HOSTILE = `import _keyboard
for part in ("<img src=x onerror=out()>", "out:<b>", "__proto__", "out:" + "1" * 100, "constructor:1", "neo:1", "machine:pico", "in:64"):
    _keyboard.show(part, "<img src=x>")
    _keyboard.show(part, "1")
for part, value in (("oled:3c", "oni,999999999,"), ("oled:3c", "oni,64," + "f" * 2050), ("out:1", "2"), ("pwm:1", "1"), ("in:1", "1"), ("adc:1", "9"), ("oled:3d", "oni,64,")):
    _keyboard.show(part, value)
for n in range(1000):
    _keyboard.show("dht:%d" % n, "1")
for n in range(1000):
    _keyboard.show("dht:%d" % n, "")
_keyboard.show("neo:1", "f" * 100000)
_keyboard.show(None, None)
_keyboard.cell(-1), _keyboard.cell(10 ** 9), _keyboard.due(-1)
`;

function like(machine) {
  try {
    localStorage["flylead.settings"] = JSON.stringify({ help: false, machine });
  } catch {
    // Of the board's frame, which keeps nothing.
  }
}

/** Says in the error how the page looks. */
async function told(app, error) {
  const state = await app.page.evaluate(() => document.body.dataset.state);
  error.message += `\nThe page is ${state}, and its terminal shows:\n${(await app.screen()).join("\n")}`;
  throw error;
}

async function runs(app, { program, prints, refuses, does, drawn = {} }) {
  await app.page.locator("#clear").click();
  await app.run(`# ${"-".repeat(8)}\n${program}`);
  if (does) {
    await app.waitForLastRow("now", 10_000);
    await does(app.page);
  }
  await app.waitForText(refuses?.startsWith("stopped") ? refuses : refuses ? "Traceback" : "finished after", 10_000);
  await app.waitForState("ready");
  const screen = (await app.screen()).join("\n");
  if (prints) assert.ok(screen.includes(prints), screen);
  if (refuses) assert.ok(screen.includes(refuses), screen);
  const parts = Object.keys(drawn).filter((part) => part !== "board");
  await app.page.waitForFunction(
    (wanted) => JSON.stringify([...document.querySelectorAll("[data-part]")].map(({ dataset }) => dataset.part).sort()) === wanted,
    JSON.stringify(parts.sort()),
    { timeout: 5000 },
  );
  for (const [part, label] of Object.entries(drawn)) {
    const place = part === "board" ? ".drawn-board" : `[data-part="${part}"]`;
    await app.page.waitForFunction(isSeen, [place, label], { timeout: 5000 });
  }
}

/** Returns true if a part has this label, or a slider says this beside it. */
function isSeen([place, label]) {
  const element = document.querySelector(place);
  const labels = [element, ...element.querySelectorAll("[aria-label]")].map((one) => one.getAttribute("aria-label"));
  return labels.includes(label) || [...element.querySelectorAll("output")].some((one) => one.textContent === label);
}
