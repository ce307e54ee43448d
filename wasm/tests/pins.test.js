// A board like a Pico or an ESP32, in Node: what is shown of its pins, and what is done to them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Board, init, openBrowserBoard } from "../js/index.js";

const WAITING = `
presses = []
button = Pin(14, Pin.IN, Pin.PULL_UP)
button.irq(lambda pin: presses.append(pin.irq().flags()), Pin.IRQ_FALLING | Pin.IRQ_RISING)
print("now")
while len(presses) < 4: pass
print(presses, ADC(26).read_u16(), temperature())
`;

test("a machine tells what its pins show, hears what is done to them, and has its own disk", async () => {
  await init();
  const shown = new Map();
  const link = await openBrowserBoard({ machine: "pico", onPins: (changes) => changes.forEach(([part, value]) => shown.set(part, value)) });
  const board = Board.attach(link);
  const exec = async (program) => (await board.exec(program)).stdout.trim();
  await exec("from machine import Pin, ADC, Timer\nfrom _pins import temperature\nled = Pin(25, Pin.OUT, value=1)");
  const until = async (value, why) => {
    for (let tries = 0; shown.get("out:25") !== value && tries < 500; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(shown.get("out:25"), value, why);
  };
  await until("1", "what a program does is shown");
  assert.equal(await exec("import os\ns = os.statvfs('/')\nprint(s[0] * s[2])"), String(1408 * 1024));
  const run = board.run(WAITING);
  let printed = "";
  for await (const chunk of run) {
    printed += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
    if (!/now\s+$/.test(printed)) continue;
    for (const value of [1, 0, 1, 0]) link.setInput({ kind: "button", pin: 14, value });
    link.setInput({ kind: "slider", pin: 26, value: 1e9 });
    link.setInput({ kind: "temperature", value: 300 });
    for (const nothing of [{ kind: "button", pin: 64, value: 1 }, { kind: "none", value: 1 }, { kind: "slider", pin: 1, value: Number.NaN }]) link.setInput(nothing);
  }
  assert.equal((await run.done).kind, "completed");
  assert.match(printed, /\[4, 8, 4, 8\] 65535 30.0/);
  await exec("Timer(mode=Timer.ONE_SHOT, period=20, callback=lambda timer: led.off())");
  await until("0", "a timer goes on at the prompt");
  await board.softReset();
  await until("", "a reset forgets what was drawn");
  await board.close();
  await link.close();
  await assert.rejects(openBrowserBoard({ machine: "abacus" }), /no machine is called abacus: there are pico and esp32/);
});

test("a machine goes on whatever its timers and pins do, and starts again when they want it to", async () => {
  const { link, board, exec, shown } = await start({ machine: "pico" });
  await exec("from machine import Pin, Timer, reset\nimport sys, time\ndef later(work):\n    Timer(mode=Timer.ONE_SHOT, period=1, callback=lambda timer: work())\ndef deep():\n    deep()");
  for (const work of ["deep", "lambda: bytearray(1 << 30)", "lambda: 1 // 0"]) {
    assert.match(await exec(`later(${work})\ntime.sleep_ms(30)\nprint("on")`), /on$/, work);
    await exec(`later(${work})`);
    await exec("time.sleep_ms(30)");
  }
  await exec("Timer(mode=Timer.ONE_SHOT, period=1, callback=lambda timer: Pin(7, Pin.OUT))");
  await until(() => shown.has("out:7"), "timers go on");
  const { exited } = await board.exec("gone = 1\nlater(reset)\nwhile True:\n    try:\n        time.sleep(60)\n    except ValueError:\n        pass");
  assert.equal(exited, true, "what runs is cut off");
  await until(() => !shown.has("out:7"), "the board has started again");
  assert.equal(await exec("print('gone' in globals())"), "False");
  await exec("import machine, sys\nkept = 1\nmachine.Timer(mode=machine.Timer.ONE_SHOT, period=50, callback=lambda timer: sys.exit())\nmachine.Pin(8, machine.Pin.OUT)");
  await until(() => shown.has("out:8"), "the program has ended");
  await until(() => !shown.has("out:8"), "it starts again at the prompt");
  assert.equal(await exec("print('kept' in globals())"), "False");
  await board.close();
  await link.close();
});

test("a main.py that ends with a reset is run again", async () => {
  const main = "import machine, os\nif 'again' not in os.listdir('/'):\n    os.mkdir('/again')\n    machine.reset()\nmachine.Pin(3, machine.Pin.OUT)\n";
  const { link, board, shown } = await start({ machine: "esp32", files: { "/main.py": main } });
  await until(() => shown.has("out:3"), "it comes past the reset");
  await board.close();
  await link.close();
});

test("an input counts once, at the prompt too", async () => {
  const { link, board, exec } = await start({ machine: "pico" });
  await exec("from machine import Pin\npresses = []\nPin(14, Pin.IN, Pin.PULL_UP).irq(lambda pin: presses.append(pin.irq().flags()))");
  for (const value of [1, 0, 1, 0]) link.setInput({ kind: "button", pin: 14, value });
  assert.equal(await exec("import time\ntime.sleep_ms(50)\nprint(presses)"), "[4, 8, 4, 8]");
  await board.close();
  await link.close();
});

test("changes are told only after the last were taken in, and those of a worker that was ended are taken back", async () => {
  let [calls, takeIn] = [0, () => {}];
  const shown = new Map();
  const onPins = (changes) => {
    calls += 1;
    for (const [part, value] of changes) shown.set(part, value);
    return new Promise((resolve) => (takeIn = resolve));
  };
  const { link, board, exec } = await start({ machine: "pico", onPins });
  await exec("from machine import Pin\nimport time\nled = Pin(15, Pin.OUT)\nfor i in range(21):\n    led.toggle()\n    time.sleep_ms(20)");
  assert.equal(calls, 1);
  takeIn();
  await until(() => calls === 2 && shown.get("out:15") === "1", "the last state comes at once");
  takeIn();
  const run = board.run("print(sum(range(1 << 29)))");
  setTimeout(() => board.interrupt(), 100);
  await run.done;
  await until(() => shown.get("out:15") === "", "nothing is drawn of a board that was started again");
  await board.close();
  await link.close();
});

test("files have the room of the disk, those in the machine's own folder too, and who had more before has more", async () => {
  const { link, board, exec } = await start({ machine: "pico" });
  await assert.rejects(exec("with open('/dev/board/x', 'w') as f:\n    for i in range(3000): f.write('x' * 1024)"), /OSError: 51/);
  await board.close();
  await link.close();
  const old = await start({ machine: "pico", files: { "/old.bin": new Uint8Array(2_000_000) } });
  assert.equal(await old.exec("open('/old.bin', 'w').write('x' * 1000)\nopen('/new.bin', 'w').write('y')\nprint(open('/new.bin').read())"), "y");
  await old.board.close();
  await old.link.close();
});

test("machine is what it is on a Pico and on an ESP32", async () => {
  const answers = {
    pico: ["TypeError: extra keyword arguments given", "OSError: [Errno 5] EIO", "False"],
    esp32: ["ValueError: duty must be from 0 to 1023", "OSError: [Errno 19] ENODEV", "True"],
  };
  for (const [machine, [duty, bus, isSame]] of Object.entries(answers)) {
    const { link, board, exec } = await start({ machine });
    await exec(MACHINE);
    assert.equal(await exec("why(lambda: PWM(Pin(4), freq=50, duty=2000))"), duty);
    assert.equal(await exec("why(lambda: I2C(0).writeto(9, b''))"), bus);
    assert.equal(await exec("why(lambda: SoftI2C(Pin(1), Pin(2)).writeto(9, b''))"), "OSError: [Errno 19] ENODEV");
    assert.equal(await exec("print(Timer(-1) is Timer(-1), Timer(-1 if PICO else 0) is Timer(-1 if PICO else 0))"), `False ${isSame}`);
    assert.equal(await exec("print(Pin(3).irq().trigger(), WDT(timeout=8000) is WDT(timeout=8000))"), "0 True");
    await board.close();
    await link.close();
  }
});

const MACHINE = `
from machine import *
from _pins import PICO
def why(work):
    try:
        work()
    except Exception as error:
        print("%s: %s" % (type(error).__name__, error))
`;

/** A board, its programs, and what it shows. */
async function start(options) {
  await init();
  const shown = new Map();
  const onPins = (changes) => changes.forEach(([part, value]) => (value === "" ? shown.delete(part) : shown.set(part, value)));
  const link = await openBrowserBoard({ onPins, ...options });
  const board = Board.attach(link);
  return { link, board, shown, exec: async (program) => (await board.exec(program)).stdout.trim() };
}

async function until(holds, why) {
  for (let tries = 0; !holds() && tries < 1000; tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds(), why);
}

test("a board that is like no machine has no pins", async () => {
  await init();
  const link = await openBrowserBoard();
  const board = Board.attach(link);
  await assert.rejects(board.exec("import machine"), /no module named 'machine'/);
  await board.close();
  await link.close();
});
