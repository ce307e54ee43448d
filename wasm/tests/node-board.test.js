// The board of a page, in Node: as in a page, but in a thread of this process.

import assert from "node:assert/strict";
import { test } from "node:test";
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
