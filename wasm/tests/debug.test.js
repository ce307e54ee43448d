// A debugger for boards as they are: a real MicroPython behind Node's streams, and the board in a page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Board, init as initBoard } from "flylead";
import { Debugger, init } from "flylead/debug";

import { openPage } from "./browser.js";
import { startLink } from "./real-board.js";

await Promise.all([init(), initBoard()]);

const PROGRAM = `import helper
def mean(values):
    total = 0

    for value in values:
        total += value
    return total / len(values)

print("mean", mean([1, 2, 6]))
print("twice", helper.twice(4))
`;
const HELPER = "def twice(n):\n    return 2 * n\n";

/** A debugger of a real board's program; `next` is what happens next, apart from output, which is kept. */
async function begin(t, program, options) {
  const board = await startLink();
  t.after(board.stop);
  const debug = Debugger.attach(board.link, "main.py", program, options);
  t.after(() => debug.close());
  return { debug, link: board.link };
}

/** Starts it; `stop` waits until the program stops, `end` until it ends. */
function start(debug) {
  const run = debug.run();
  const seen = { run, output: "", kinds: [] };
  seen.stop = async () => {
    for await (const event of run) {
      seen.kinds.push(event.kind);
      if (event.kind === "output") seen.output += Buffer.from(event.bytes).toString().replaceAll("\r\n", "\n");
      if (event.kind === "log") seen.output += `[${event.line}: ${event.text}]`;
      if (event.kind === "stopped") return event;
    }
    return undefined;
  };
  /** Waits until it has printed this. */
  seen.print = async (text) => {
    for await (const event of run) {
      if (event.kind === "output") seen.output += Buffer.from(event.bytes).toString().replaceAll("\r\n", "\n");
      if (seen.output.includes(text)) return;
    }
    assert.fail(`it ended, and printed ${seen.output}`);
  };
  seen.end = async () => {
    assert.equal(await seen.stop(), undefined, "it does not stop any more");
    return run;
  };
  return seen;
}

test("a program stops at a breakpoint, shows its values, takes new ones and goes on by steps", async (t) => {
  const { debug } = await begin(t, PROGRAM, { modules: { "helper.py": HELPER } });
  assert.deepEqual(
    debug.setBreakpoints("main.py", [{ line: 4 }, { line: 99 }]).map(({ line, problem }) => [line, problem]),
    [
      [5, undefined],
      [undefined, "there is no code at this line or after it"],
    ],
  );
  const program = start(debug);
  const stop = await program.stop();
  assert.equal(stop.reason, "breakpoint");
  assert.deepEqual(stop.frames, [
    { file: "main.py", line: 5, function: "mean" },
    { file: "main.py", line: 9, function: "<module>" },
  ]);
  const variables = await debug.variables({ locals: 0 });
  const values = variables.find(({ name }) => name === "values");
  assert.deepEqual([values.text, values.type, values.length], ["[1, 2, 6]", "list", 3]);
  const items = await debug.variables({ items: { of: values.handle, start: 1, count: 2 } });
  assert.deepEqual(items.map(({ name, text }) => [name, text]), [["1", "2"], ["2", "6"]]);
  assert.equal((await debug.evaluate(0, "sum(values) + total")).text, "9");
  await assert.rejects(debug.evaluate(0, "nothing"), { name: "DebugError", code: "raised", message: /NameError/ });
  await assert.rejects(debug.evaluate(0, "1 +"), { name: "DebugError", code: "syntax" });
  assert.equal((await debug.setVariable(0, { locals: 0 }, "total", "91")).text, "91");
  debug.setBreakpoints("main.py", []);
  debug.resume("over");
  assert.equal((await program.stop()).frames[0].line, 6);
  debug.resume("out");
  assert.equal((await program.stop()).frames[0].line, 10);
  debug.resume("into");
  assert.deepEqual((await program.stop()).frames[0], { file: "helper.py", line: 2, function: "twice" });
  debug.resume("continue");
  assert.deepEqual(await program.end(), { kind: "completed" });
  assert.equal(program.output, "mean 33.33333\ntwice 8\n".replace("33.33333", program.output.match(/33\.\d+/)[0]));
});

test("the board is at its prompt after it, with nothing of the debugger's", async (t) => {
  const { debug, link } = await begin(t, "left = 6\nprint(left)\n");
  const program = start(debug);
  await program.end();
  debug.close();
  const board = Board.attach(link);
  const { stdout } = await board.exec("print(' '.join(sorted(globals())), left)");
  // Boards name their file differently, and `sys` stays imported.
  assert.equal(stdout.trim().replace("__file__ ", "").replace("sys ", ""), "__name__ left 6");
  await board.close();
});

test("a program without end is paused, looked at and ended", async (t) => {
  const { debug } = await begin(t, "import time\ndef wait():\n    n = 0\n    while True:\n        n += 1\n        time.sleep(0.01)\nwait()\n");
  debug.setBreakpoints("main.py", [{ line: 5 }]);
  const program = start(debug);
  await program.stop();
  debug.setBreakpoints("main.py", []);
  debug.resume("continue");
  await assert.rejects(debug.evaluate(0, "n"), { name: "DebugError", code: "running" });
  debug.pause();
  const stop = await program.stop();
  assert.ok(["pause", "interrupt"].includes(stop.reason), stop.reason);
  assert.equal(stop.frames[0].function, "wait");
  assert.match((await debug.evaluate(0, "n")).text, /^\d+$/);
  program.run.cancel();
  assert.deepEqual(await program.end(), { kind: "terminated" });
  await assert.rejects(debug.variables({ locals: 0 }), { name: "DebugError", code: "over" });
});

test("conditions, hit counts and log messages", async (t) => {
  const { debug } = await begin(t, "for i in range(6):\n    j = i * i\n    print(j)\n");
  debug.setBreakpoints("main.py", [
    { line: 2, condition: "i == 3" },
    { line: 3, log: "i is {i}" },
  ]);
  const program = start(debug);
  await program.stop();
  assert.equal((await debug.evaluate(0, "i")).text, "3");
  assert.match(program.output, /\[3: i is 2\]/);
  debug.resume("continue");
  await program.end();
});

test("an exception that nothing catches is looked at before it ends the program, at the line of the file", async (t) => {
  const { debug } = await begin(t, "def half(n):\n    return n / 0\n\nhalf(3)\n", { uncaught: true });
  const program = start(debug);
  const stop = await program.stop();
  assert.equal(stop.reason, "uncaught");
  assert.match(stop.exception, /ZeroDivisionError/);
  assert.equal((await debug.evaluate(0, "n")).text, "3");
  debug.resume("continue");
  const end = await program.end();
  assert.equal(end.kind, "raised");
  assert.deepEqual(end.traceback.frames.map(({ file, line }) => [file, line]), [["main.py", 4], ["main.py", 2]]);
});

test("what is typed goes to the program, and not to one that is stopped", async (t) => {
  const { debug } = await begin(t, "import sys\nprint('who?')\nname = sys.stdin.readline().strip()\nprint('hello', name)\n", { stopOnEntry: true });
  const program = start(debug);
  assert.equal((await program.stop()).reason, "entry");
  assert.throws(() => debug.send("lost\n"), { name: "DebugError" });
  debug.resume("continue");
  await program.print("who?");
  debug.send("board\n");
  assert.deepEqual(await program.end(), { kind: "completed" });
  assert.match(program.output, /hello board/);
});

test("bad input has a word for it, and nothing is locked or sent", async (t) => {
  const board = await startLink();
  t.after(board.stop);
  const attach = (...program) => Debugger.attach(board.link, ...program);
  assert.throws(() => attach("main.py", "print('fine')\nfor broken in\n"), { name: "SourceError", file: "main.py", line: 2 });
  assert.throws(() => attach("main.py", "import a", { modules: { "a.py": "1 +" } }), { name: "SourceError", file: "a.py", line: 1 });
  assert.throws(() => attach("main.py", "", { stopOnEntri: true }), TypeError);
  assert.equal(board.link.readable.locked, false);
  const debug = attach("main.py", "print(1)");
  assert.throws(() => debug.setBreakpoints("other.py", []), TypeError);
  assert.throws(() => debug.setBreakpoints("main.py", [{}]), TypeError);
  assert.throws(() => debug.resume("sideways"), TypeError);
  assert.throws(() => debug.resume("over"), { name: "DebugError", code: "running" });
  const program = start(debug);
  assert.throws(() => debug.run(), { name: "BusyError" });
  assert.deepEqual(await program.end(), { kind: "completed" });
  debug.close();
  debug.close();
});

test("what waits for an answer when the debugger is closed fails", async (t) => {
  const { debug } = await begin(t, "print(1)\n", { stopOnEntry: true });
  const program = start(debug);
  await program.stop();
  const asked = debug.evaluate(0, "1");
  debug.close();
  await assert.rejects(asked, { name: "ClosedError" });
  await assert.rejects(program.run.done, { name: "ClosedError" });
});

test("the board in an isolated page stops and goes on; in a plain one it cannot wait", async (t) => {
  for (const kind of ["isolated", "plain"]) {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async (program) => {
      const link = await flylead.openBrowserBoard(options);
      const debug = flylead.Debugger.attach(link, "main.py", program, { modules: { "helper.py": "def twice(n): return 2 * n" } });
      debug.setBreakpoints("main.py", [{ line: 6 }]);
      const run = debug.run();
      const seen = { output: "", stops: [] };
      const decoder = new TextDecoder();
      for await (const event of run) {
        if (event.kind === "output") seen.output += decoder.decode(event.bytes).replaceAll("\r\n", "\n");
        if (event.kind !== "stopped") continue;
        seen.stops.push((await debug.evaluate(0, "value")).text);
        debug.resume("continue");
      }
      seen.end = await run;
      debug.close();
      await link.close();
      return seen;
    }, PROGRAM);
    if (kind === "isolated") {
      assert.deepEqual(seen.stops, ["1", "2", "6"]);
      assert.equal(seen.output, "mean 3.0\ntwice 8\n");
      assert.equal(seen.end.kind, "completed");
    } else {
      assert.deepEqual(seen.stops, []);
      assert.match(seen.end.traceback.text, /cross-origin isolated/);
    }
  }
});
