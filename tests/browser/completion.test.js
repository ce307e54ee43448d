/** Completion by the real language server, with the real stubs of the board that is there. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { view } from "./axe.js";
import { startBoard, startPico } from "./board.js";
import { Files } from "./files.js";

test("completion without the language server offers the program's own names, and none of CPython's", async (own) => {
  const browser = await startBrowser();
  own.after(() => browser.close());
  const app = await browser.page();
  assert.deepEqual(await completed(app, "answer = 42\nan", "answer"), ["answer"]);
  await app.page.keyboard.press("Escape");
  await app.write("answer = 42\nanswer.");
  await app.page.keyboard.press("Control+Space");
  await app.page.waitForTimeout(1000);
  assert.deepEqual(await app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents(), []);
  await app.close();
});

describe("completion in the page", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page({ help: true })));
  afterEach(() => app.close());

  test("knows MicroPython, and nothing of CPython: names, what they are and how they are called", async () => {
    const time = await completed(app, "import time\ntime.", "sleep_ms");
    assert.ok(time.includes("ticks_diff") && !time.includes("strftime"), time.join());
    await completed(app, "import machine\nmachine.Pi", "Pin");
    await completed(app, "from micropython import co", "const");
    const modules = await completed(app, "import s", "socket");
    assert.ok(modules.includes("sys") && !modules.includes("subprocess"), modules.join());
    await completed(app, "import time\ntime.sleep_", "sleep_ms");
    await app.page.locator(".about-name").waitFor();
    await view(app, "completion");
    await app.write("import time\ntime");
    await app.page.keyboard.press("Escape");
    const began = performance.now();
    await app.page.keyboard.type(".");
    await option(app, "sleep_us").waitFor();
    console.log(`warm completion: ${Math.round(performance.now() - began)} ms from the key to the list, as Playwright sees it`);
    await app.page.keyboard.type("sleep_m");
    await option(app, "sleep_us").waitFor({ state: "detached" });
    await app.page.keyboard.press("Escape");
    await app.page.keyboard.type("s(");
    await app.page.locator(".signature strong", { hasText: "ms" }).waitFor();
    await view(app, "signature");
    await app.page.keyboard.type("5");
    await app.page.keyboard.press("Control+Home");
    await app.page.locator(".signature").waitFor({ state: "detached" });
    await pointAt(app, "sleep_ms", app.page.locator(".about-name", { hasText: "Delay for given number of milliseconds" }));
    await app.shot("hover");
  });

  test("knows the board that is there, and the modules that are open", async () => {
    await app.connect();
    await completed(app, "import jsf", "jsffi");
    const modules = await completed(app, "import ", "random");
    assert.ok(modules.includes("rp2") && !modules.includes("esp32"), modules.join());
    await app.exec(ALL_NAMES);
    await app.exec(written("/lib/closed.py", "from deeper import *\ndef read_kelvin():\n    return 294.7\n", "/deeper.py", "DEPTH = 3\n"));
    const beside = await completed(app, "import closed\nclosed.", "read_kelvin");
    assert.ok(beside.includes("DEPTH"), beside.join());
    await app.exec(written("/lib/closed.py", "def read_fahrenheit():\n    return 70.7\n"));
    await completed(app, "import closed\nclosed.re", "read_fahrenheit");
    await app.page.keyboard.press("Escape");
    const files = await Files.open(app);
    await files.drop({ "sensor.py": "def read_celsius():\n    return 21.5\n" });
    await files.waitForRow("/sensor.py");
    await files.row("/sensor.py").click();
    await app.page.locator("#tabs [aria-current]", { hasText: "sensor.py" }).waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tabs button").first().click();
    await app.page.locator("#tabs [aria-current]", { hasText: "Program" }).waitFor();
    await completed(app, "import sensor\nsensor.re", "read_celsius");
    await app.page.keyboard.press("Escape");
    await app.write(`${FAULTS}sensor.nothing\n`);
    await app.page.keyboard.press("Control+Shift+M");
    await mistakes(app, [
      '"sleep_mss" is unknown import symbol',
      'Argument missing for parameter "seconds"',
      "Expected 1 positional argument",
      '"sleep_mss" is not a known attribute of module "time"',
      "Undefined name `nowhere`",
    ]);
    await app.page.locator(".cm-panel-lint li", { hasText: "basedpyright reportAttributeAccessIssue" }).first().waitFor();
    await files.row("/names.py").click();
    await app.page.locator("#editor .cm-line", { hasText: "import array" }).waitFor();
    await app.waitForState("ready");
    await app.page.locator("#editor .cm-content").click();
    await app.page.keyboard.press("Control+Home");
    await app.page.keyboard.insertText("import math\nmath.py\n");
    await app.page.keyboard.press("Control+Shift+M");
    await mistakes(app, ['"py" is not a known attribute of module "math"']);
  });

  test("offers no name that the board in the page has not, and all that it has, for every module and for classes", async () => {
    await app.connect();
    const { offered, checked, foreign } = await offers(app, named(await app.exec(LISTING)));
    assert.deepEqual(foreign, []);
    console.log(`completion for the board in the page: ${Object.keys(offered).length} modules, ${checked} names, ${foreign.length} that it has not`);
    assert.ok(Object.keys(offered).length > 40, Object.keys(offered).join());
    for (const name of ["getcwd", "statvfs", "listdir"]) assert.ok(offered.os.includes(name), `os.${name}: ${offered.os.join()}`);
    for (const name of ["run", "sleep_ms", "Event", "gather"]) assert.ok(offered.asyncio.includes(name), `asyncio.${name}: ${offered.asyncio.join()}`);
    const text = await completed(app, "s = input()\ns.", "upper");
    assert.ok(!text.includes("casefold") && text.includes("split"), text.join());
    const modules = await completed(app, "import ", "asyncio");
    assert.ok(!modules.includes("subprocess") && !modules.includes("esp32") && modules.includes("machine") && modules.includes("jsffi"), modules.join());
    await app.page.keyboard.press("Escape");
    await app.write("import os, sys\nfrom os import fork, listdir\nos.getpid()\nos.listdir()\nsys.setrecursionlimit(1)\nif hasattr(sys, 'intern'):\n    sys.intern('')\nprint(fork, listdir)\n");
    await app.page.keyboard.press("Control+Shift+M");
    await mistakes(app, ['"fork" is unknown import symbol', '"getpid" is not a known attribute of module "os"', '"setrecursionlimit" is not a known attribute of module "sys"']);
  });
});

describe("completion for the makers' firmware on an emulated Pico", () => {
  let browser, board;
  before(async () => {
    board = await startPico("completion");
    browser = board && (await startBrowser({ served: board.path }));
  });
  after(async () => {
    await browser?.close();
    await board?.stop();
  });

  test("offers no name that it has not, for every module, and keeps what it has for its firmware", async () => {
    if (!board) return;
    const app = await browser.page({ help: true, without: "serial" });
    await app.waitForState("ready");
    await app.waitForLastRow(">>>");
    // The emulator takes a processor and its time. A board at its prompt is asked before anything has run there.
    const machine = await completed(app, "import machine\nmachine.", "Pin", SLOWLY);
    assert.ok(!machine.includes("TouchPad"), "machine.TouchPad is an ESP32's");
    await app.page.keyboard.press("Escape");
    await app.waitForState("ready", SLOWLY);
    const modules = named(await app.exec(LISTING, { patience: SLOWLY }));
    assert.ok(modules.length >= 30, modules.join());
    // It is asked for all of them at once, which saves minutes.
    await completed(app, `import ${modules.join(", ")}\nmachine.`, "Pin");
    await app.waitForState("ready", SLOWLY);
    const { offered, checked, foreign } = await offers(app, modules, SLOWLY);
    assert.deepEqual(foreign, []);
    console.log(`completion for a Pico: ${modules.length} modules, ${checked} names, ${foreign.length} that it has not`);
    assert.ok(offered.machine.includes("Pin") && offered.os.includes("uname") && !offered.os.includes("getenv"), JSON.stringify(offered));
    const pin = await completed(app, "from machine import Pin\nled = Pin(25, Pin.OUT)\nled.", "toggle");
    assert.ok(pin.includes("irq"), pin.join());
    assert.equal(await app.page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("flylead.names.")).length), 1);
    await app.close();
  });
});

describe("completion for a board", () => {
  let browser, board;
  before(async () => {
    board = await startBoard();
    browser = await startBrowser({ served: board.path });
  });
  after(async () => {
    await browser?.close();
    await board?.stop();
  });

  test("follows what the board says that it is", async () => {
    const app = await browser.page({ help: true, without: "serial" });
    await app.waitForState("ready");
    await app.run("import time\nprint('I', 'am', 'it')");
    await app.waitForText("I am it");
    await app.waitForState("ready");
    const modules = await completed(app, "import ", "termios");
    assert.ok(!modules.includes("rp2") && modules.includes("time"), modules.join());
    await app.close();
  });

  test("asks nothing of a board that runs what was typed at its prompt, and offers nothing then that the board may lack", async () => {
    const app = await browser.page({ help: true, without: "serial" });
    await app.waitForState("ready");
    await app.waitForLastRow(">>>");
    await app.page.locator("#terminal .xterm-screen").first().click();
    await app.page.keyboard.type("import time; time.sleep(4); print('whole', 6 * 7)\n");
    await app.write("import machine, struct\nstruct.");
    await app.page.keyboard.press("Control+Space");
    await app.page.waitForTimeout(1500);
    assert.deepEqual(await app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents(), []);
    await app.waitForText("whole 42");
    await completed(app, "import struct\nstruct.", "unpack_from");
    await app.close();
  });

  test("knows the modules there that a program imports once they were listed, and takes nothing half typed from the prompt for it", async () => {
    const app = await browser.page({ help: true, without: "serial" });
    await app.waitForState("ready");
    await app.exec(written(HELPER, "def read_kelvin():\n    return 294.7\n"));
    await completed(app, "import time\ntime.", "sleep_ms");
    await app.page.keyboard.press("Escape");
    await app.page.locator("#terminal .xterm-screen").first().click();
    await app.page.keyboard.type("print('half', 6 *");
    await app.waitForLastRow(">>> print('half', 6 *");
    await completed(app, "import helper\nimport math\nmath.p", "pi");
    await app.page.keyboard.press("Escape");
    await app.page.locator("#terminal .xterm-screen").first().click();
    await app.page.keyboard.type(" 7)\n");
    await app.waitForText("half 42");
    const files = await Files.open(app, { list: false });
    await app.page.locator("#files .start").click();
    await app.waitForState("ready");
    await files.row("/flash").click();
    await files.waitForRow(HELPER);
    await app.waitForState("ready");
    await completed(app, "import helper\nhelper.re", "read_kelvin");
    await app.close();
  });
});

/** Names offered after each module that the board has, and those among them that it has not, as it says itself. */
async function offers(app, modules, patience) {
  const offered = {};
  for (const module of modules) {
    await app.page.keyboard.press("Escape");
    await app.write(`import ${module}\n${module}.`);
    await opened(app);
    offered[module] = await app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
  }
  await app.page.keyboard.press("Escape");
  const calls = Object.entries(offered).map(([module, names]) => `check('${module}', '${names.join(" ")}')`);
  const [foreign, checked] = [[], Object.values(offered).flat().length];
  // A small board has no room for all of them in one program.
  for (let first = 0; first < calls.length; first += CHECKED_AT_ONCE) {
    const program = `${CHECK}${calls.slice(first, first + CHECKED_AT_ONCE).join("\n")}\nprint('foreign', foreign)`;
    const printed = await app.exec(program, { patience });
    const [, found] = /^foreign \[(.*)\]$/s.exec(printed) ?? assert.fail(printed);
    if (found !== "") foreign.push(found);
  }
  return { offered, checked, foreign };
}

/** Asks for the list, as often as a person would: on a loaded machine one press in hundreds brings none. */
async function opened(app) {
  const first = app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").first();
  for (let presses = 0; presses < 5; presses++) {
    await app.page.keyboard.press("Control+Space");
    if (await first.waitFor({ timeout: 12_000 }).then(() => true, () => false)) return;
  }
  assert.fail("no list came");
}

const CHECKED_AT_ONCE = 12;

/** The names in what {@link LISTING} prints, which a terminal may have broken into rows. */
function named(printed) {
  return printed.replace(/[^\w,]/g, "").split(",");
}

/** Time that an emulator may take for a program, in milliseconds. */
const SLOWLY = 300_000;

/** Modules of MicroPython's documentation that the board has and that have a public name. */
const LISTING = `
found = []
for name in 'array asyncio binascii bluetooth cmath collections cryptolib deflate errno framebuf gc hashlib heapq io jsffi json machine math micropython neopixel network ntptime os platform random re rp2 select socket ssl struct sys time tls uctypes vfs zlib _thread base64 copy datetime fnmatch functools gzip hmac html inspect itertools locale logging operator pathlib stat string tarfile unittest uu'.split():
    try:
        if any(one[0] != '_' for one in dir(__import__(name))): found.append(name)
    except ImportError:
        pass
print(','.join(found))
`;
const CHECK = `
foreign = []
def check(name, offered):
    module = __import__(name)
    # Names that come with their first use, and the submodules that they come from.
    later = getattr(module, '_attrs', {})
    has = dir(module) + list(later) + list(later.values())
    for one in offered.split():
        if name == 'micropython' and one not in has:
            # The compiler alone knows some decorators.
            try:
                exec('@micropython.%s\\ndef f(): pass' % one, {})
                continue
            except SyntaxError:
                pass
        if one not in has: foreign.append(name + '.' + one)
`;

/** Path at which the unix port's jail keeps files, as a pyboard does. */
const HELPER = "/flash/helper.py";

/** A program that writes files: a path and its text, and so on. */
function written(...files) {
  const calls = Array.from({ length: files.length / 2 }, (_, i) => `write(${JSON.stringify(files[2 * i])}, ${JSON.stringify(files[2 * i + 1])})`);
  return `import os\ndef write(path, text):\n    if path.count('/') > 1:\n        try:\n            os.mkdir(path.rsplit('/', 1)[0])\n        except OSError:\n            pass\n    with open(path, 'w') as f:\n        f.write(text)\n${calls.join("\n")}`;
}

/** Waits until these and no others are listed as what is wrong. */
async function mistakes(app, wanted) {
  await app.page.waitForFunction(
    (wanted) => {
      const found = [...document.querySelectorAll(".cm-panel-lint .cm-diagnosticText")].map((text) => text.textContent);
      return JSON.stringify(found) === JSON.stringify(wanted);
    },
    wanted,
  );
}

/** Writes every name of the modules whose stubs are taken to be whole, as a program that is right. */
const ALL_NAMES = `
with open('/names.py', 'w') as f:
    for module in 'array cmath cryptolib deflate errno gc hashlib heapq json math micropython random re select struct time uctypes'.split():
        try:
            names = dir(__import__(module))
        except ImportError:
            continue
        print('import', module, file=f)
        for name in names:
            if name[0] != '_': print(module + '.' + name, file=f)
`;
/** With what may be meant beside what cannot: a program that asks first, or is ready for a no. */
const FAULTS = `import time, sys, sensor, micropython
from time import ticks_ms, sleep_mss

def blink(seconds, *, pin=2):
    time.sleep(seconds)

@micropython.native
def quick(a):
    return a

blink()
blink(1, 2)
blink(1, pin=3)
quick(1)
time.sleep_mss(1)
try:
    time.sleep_forever()
    blink()
except (AttributeError, TypeError):
    pass
if hasattr(time, "nap"):
    time.nap()
if sys.platform == "rp2":
    time.pause()
print(nowhere, ticks_ms(), sleep_mss)
`;

/**
 * Points at a name in the editor until what is said of it is there. A pointer that is moved once may come while the line is
 * redrawn, and then nothing is said.
 */
async function pointAt(app, name, said) {
  for (let tries = 0; tries < 30 && !(await said.isVisible()); tries += 1) {
    const { x, y } = await app.page.evaluate((name) => {
      const line = [...document.querySelectorAll("#editor .cm-line")].find((one) => one.textContent.includes(name));
      const { left, top } = line.getBoundingClientRect();
      return { x: left, y: top };
    }, name);
    await app.page.mouse.move(x + 80 + (tries % 3), y + 8);
    await said.waitFor({ timeout: 2000 }).catch(() => {});
  }
  await said.waitFor();
}

function option(app, name) {
  return app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").getByText(name, { exact: true });
}

/** Returns the completions at the end of a program, once a name is among them; `timeout` is that of Playwright otherwise. */
async function completed(app, program, name, timeout) {
  await app.write(program);
  await app.page.keyboard.press("Control+Space");
  await option(app, name).waitFor({ timeout });
  return app.page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
}
