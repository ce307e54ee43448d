// The board of a page, in Node: as in a page, but in a thread of this process.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkerBoard } from "../js/browser-board/board.js";
import { Board, init, openBrowserBoard } from "../js/index.js";

/** Each program ends in its second line, in Python that boards have in C, with what the board in the page says of it. */
const ENDS = [
  ["sleeping", "import time\ntime.sleep_ms(60000)", "KeyboardInterrupt:"],
  ["sleeping seconds", "import time\ntime.sleep(60)", "KeyboardInterrupt:"],
  ["waiting for a line", "import sys\nsys.stdin.readline()", "KeyboardInterrupt:"],
  ["waiting for lines", "import sys\nfor line in sys.stdin: pass", "KeyboardInterrupt:"],
  ["waiting for letters", "import sys\nsys.stdin.read(2)", "KeyboardInterrupt:"],
  ["waiting for input", "# What is typed.\ninput()", "KeyboardInterrupt:"],
  ["waiting for a poll", "import select, sys; p = select.poll(); p.register(sys.stdin, select.POLLIN)\np.poll()", "KeyboardInterrupt:"],
  ["sleeping for no number", "import time\ntime.sleep_ms('a')", undefined],
  ["writing no text", "import sys\nsys.stdout.write(1)", undefined],
  ["asking for what is not there", "import sys\nsys.nothing", undefined],
];

test("tracebacks of the board in the page have the program's lines alone", async (t) => {
  await init();
  const link = await openBrowserBoard();
  const board = Board.attach(link);
  for (const [what, program, says] of ENDS) {
    await t.test(what, async () => {
      const run = board.run(`print('here')\n${program}`);
      for await (const _ of run) if (says) setTimeout(() => board.interrupt(), 50);
      const { traceback } = await run.done;
      const lines = traceback.text.trimEnd().split(/\r?\n/);
      assert.deepEqual(lines.slice(0, -1), ["Traceback (most recent call last):", '  File "<stdin>", line 3, in <module>']);
      assert.match(lines.at(-1), /^[A-Z]\w+(:.*)?$/);
      if (says) assert.equal(lines.at(-1), says);
      assert.deepEqual(traceback.frames.map(({ line, function: name }) => [line, name]), [[3, "<module>"]]);
    });
  }
  assert.equal(link.restarts, 0);
  await board.close();
  await link.close();
});

test("a traceback of asyncio names its file, as on a board", async () => {
  await init();
  const link = await openBrowserBoard();
  const board = Board.attach(link);
  const program = "import asyncio\nasync def main():\n    1 / 0\ntry:\n    asyncio.run(main())\nexcept ZeroDivisionError as error:\n    import sys\n    sys.print_exception(error)";
  const { stdout } = await board.exec(program);
  const files = [...stdout.matchAll(/File "(.*?)"/g)].map(([, file]) => file);
  assert.deepEqual(new Set(files), new Set(["<stdin>", "asyncio/core.py"]), stdout);
  await board.close();
  await link.close();
});

test("a board in Node runs a program, ends a loop at Ctrl-C and lets the process end", async () => {
  await init();
  const link = await openBrowserBoard();
  assert.equal(link.isolated, true);
  const board = Board.attach(link);
  const { stdout } = await board.exec("print(6 * 7)");
  assert.equal(stdout, "42\n");
  const run = board.run("import time\nwhile True:\n    print('tick')\n    time.sleep_ms(20)\n");
  let ticks = 0;
  for await (const text of run) {
    ticks += text.length > 0 ? 1 : 0;
    if (ticks === 2) board.interrupt();
  }
  assert.ok(ticks >= 2);
  await board.close();
  await link.close();
});

/** Programs of the board's own, each of which lets Ctrl-C in once it waits. */
const MAINS = [
  ["sleeps", "import time\nwhile True: time.sleep(0.1)"],
  ["prints and sleeps", "import time\nwhile True:\n  print('x')\n  time.sleep(0.5)"],
  ["reads", "import sys\nwhile True: sys.stdin.read(1)"],
];

for (const [what, main] of MAINS) {
  test(`a main.py that ${what} is stopped by Ctrl-C, and the board takes a program`, async () => {
    await init();
    const link = await openBrowserBoard({ files: { "/main.py": main } });
    const board = Board.attach(link);
    await sleep(300);
    assert.equal((await board.exec("print(6 * 7)")).stdout, "42\n");
    assert.equal(link.restarts, 0);
    await board.close();
    await link.close();
  });
}

test("a timer's function that sleeps at the prompt is stopped by Ctrl-C", async () => {
  await init();
  const link = await openBrowserBoard({ machine: "pico" });
  const board = Board.attach(link);
  await board.exec("from machine import Timer\nimport time\ndef tick(timer):\n  while True: time.sleep_ms(10)\nTimer(mode=Timer.ONE_SHOT, period=200, callback=tick)");
  await board.leave();
  await sleep(600);
  assert.equal((await board.exec("print(6 * 7)")).stdout, "42\n");
  assert.equal(link.restarts, 0);
  await board.close();
  await link.close();
});

test("Ctrl-C stops a program that has enabled it again, and one whose input nobody reads", async () => {
  await init();
  const link = await openBrowserBoard();
  const board = Board.attach(link);
  const again = board.run("import micropython, time\nmicropython.kbd_intr(-1)\ntime.sleep_ms(5)\nmicropython.kbd_intr(3)\nwhile True: pass");
  await sleep(500);
  board.interrupt();
  assert.equal((await again.done).traceback.exception, "KeyboardInterrupt");
  const deaf = board.run("while True: pass");
  await sleep(300);
  // More than the board keeps.
  for (let part = 0; part < 20; part++) board.send("0123456789".repeat(1000));
  board.interrupt();
  assert.equal((await deaf.done).traceback.exception, "KeyboardInterrupt");
  assert.equal(link.restarts, 0);
  await board.close();
  await link.close();
});

test("a board whose worker never starts is lost, and whoever waits for it is told", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const silent = { postMessage() {}, terminate() {} };
  const board = new WorkerBoard(() => silent, {}, new Map(), {});
  const reading = board.readable.getReader().read();
  // As when the worker that takes the place of one that was ended does not start.
  const writing = board.writable.getWriter().write(Uint8Array.of(3));
  const waiting = board.whenReady();
  t.mock.timers.tick(60_000);
  await waiting;
  await assert.rejects(reading, { name: "LinkError", message: "the browser's board failed: its worker did not start" });
  await assert.rejects(writing, { name: "LinkError" });
});
