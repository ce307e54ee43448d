// Whole sessions as an editor has them. FLYLEAD names the command, BOARD the board's port, FOLDER one for programs.
import assert from "node:assert/strict";
import net from "node:net";
import path from "node:path";
import test from "node:test";

import { connected, serving, started } from "./client.js";
import { BOARD, FOLDER, command, go, launch, listed, next, over, shown, stack, variables, written } from "./steps.js";

const MAIN = `import lib

def mean(a):
    s = 0

    for x in a:
        s += x
    return s // len(a)

def work(n):
    q = [n, n + 1, n + 2]
    m = mean(q)
    return lib.twice(m)

print('before')
print(work(4))
`;
const LIB = "def twice(n):\n    r = n * 2\n    return r\n";

test("a program stops, shows and changes its variables, and goes on", async () => {
  const client = started(BOARD);
  const main = written("main.py", MAIN);
  const lib = written("lib.py", LIB);
  const lines = { [main]: [{ line: 5 }, { line: 7 }], [lib]: [{ line: 2 }] };
  const { answers, stopped } = await launch(client, main, { lines });
  assert.deepEqual(answers.map(({ verified, line }) => [verified, line]), [[true, 6], [true, 7], [true, 2]]);
  assert.equal(stopped.body.reason, "breakpoint");
  assert.equal(shown(await stack(client)), "mean:6 work:12 <module>:16");
  await go(client, "continue");
  const [inner, outer] = await stack(client);
  assert.equal(inner.source.path, main);
  assert.equal(listed(await variables(client, inner)), "a=[4, 5, 6] s=0 x=4");
  const locals = await variables(client, outer);
  assert.equal(listed(locals), "n=4 q=[4, 5, 6]");
  const list = locals.all.find((one) => one.name === "q");
  const items = await client.variablesRequest({ variablesReference: list.variablesReference });
  assert.deepEqual(items.body.variables.map((one) => one.value), ["4", "5", "6"]);
  const value = await client.evaluateRequest({ expression: "s + 1", frameId: inner.id, context: "hover" });
  assert.equal(value.body.result, "1");
  const { variablesReference } = await variables(client, inner);
  const set = await client.setVariableRequest({ variablesReference, name: "s", value: "100" });
  assert.equal(set.body.value, "100");
  await client.setBreakpointsRequest({ source: { path: main }, breakpoints: [] });
  await go(client, "next");
  await go(client, "stepOut");
  assert.equal(shown(await stack(client)), "work:13 <module>:16");
  await go(client, "stepIn");
  assert.equal(shown(await stack(client)), "twice:2 work:13 <module>:16");
  const end = await go(client, "continue");
  assert.equal(end.event, "terminated");
  assert.equal(client.output("stdout").replaceAll("\r", ""), "before\n76\n");
  await over(client);
});

test("conditions, hit counts, log messages and functions are breakpoints too", async () => {
  const client = started(BOARD);
  const text = "def f(n):\n    return n * 2\n\ndef g(n):\n    return n\n\nfor i in range(9):\n    f(i)\ng(7)\n";
  const file = written("counts.py", text);
  const lines = {
    [file]: [
      { line: 2, condition: "n == 3" },
      { line: 8, logMessage: "i is {i}" },
    ],
  };
  const { stopped } = await launch(client, file, { lines, functions: [{ name: "g" }, { name: "missing" }] });
  assert.equal(stopped.body.reason, "breakpoint");
  const [frame] = await stack(client);
  assert.equal(listed(await variables(client, frame)), "n=3");
  await go(client, "continue");
  assert.equal(shown(await stack(client)), "g:5 <module>:9");
  assert.ok(client.output("console").includes("i is 8"), client.output("console"));
  assert.equal((await go(client, "continue")).event, "terminated");
  await over(client);
});

test("an exception stops with its frame alive, and is told", async () => {
  const client = started(BOARD);
  const file = written("raises.py", "def f(n):\n    return 1 // n\n\nf(0)\n");
  const { stopped } = await launch(client, file, { filters: ["uncaught"] });
  assert.equal(stopped.body.reason, "exception");
  const info = await client.exceptionInfoRequest({ threadId: 1 });
  assert.equal(info.body.exceptionId, "ZeroDivisionError");
  const [frame] = await stack(client);
  assert.equal(listed(await variables(client, frame)), "n=0");
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.match(client.output("stderr"), /raises\.py", line 2, in f\n.*ZeroDivisionError/s);
  await over(client);
});

test("a running program is paused, and ended with the session", async () => {
  const client = started(BOARD);
  const file = written("endless.py", "n = 0\nprint('runs')\nwhile True:\n    n += 1\n");
  const { stopped } = await launch(client, file, { stopOnEntry: true });
  assert.equal(stopped.body.reason, "entry");
  const runs = client.assertOutput("stdout", "runs", 100_000);
  await client.continueRequest({ threadId: 1 });
  await runs;
  assert.equal((await go(client, "pause")).event, "stopped");
  const value = await client.evaluateRequest({ expression: "n > 0" });
  assert.match(value.body.result, /True|False/);
  await over(client);
});

test("a program that sleeps is paused, and goes on to its end", async () => {
  const client = started(BOARD);
  const file = written("sleeps.py", "import time\nn = 0\nprint('runs')\nwhile n >= 0:\n    time.sleep(0.02)\n    n += 1\nprint('end')\n");
  const { stopped } = await launch(client, file, { stopOnEntry: true });
  assert.equal(stopped.body.reason, "entry");
  const runs = client.assertOutput("stdout", "runs", 100_000);
  await client.continueRequest({ threadId: 1 });
  await runs;
  for (const time of ["first", "second"]) {
    const paused = await go(client, "pause");
    assert.deepEqual([paused.body.reason, paused.body.description], ["pause", "Paused"], time);
    if (time === "first") await client.continueRequest({ threadId: 1 });
  }
  await client.evaluateRequest({ expression: "n = -5000", frameId: (await stack(client))[0].id, context: "repl" });
  assert.equal((await go(client, "continue")).event, "terminated");
  await assert.rejects(client.pauseRequest({ threadId: 1 }), /the program has ended/);
  await over(client);
});

test("breakpoints that are set while the program runs stop it", async () => {
  const client = started(BOARD);
  const file = written("late.py", "import time\nn = 0\nprint('runs')\nwhile n >= 0:\n    time.sleep(0.02)\n    n += 1\nprint('end')\n");
  await launch(client, file, { stopOnEntry: true });
  const runs = client.assertOutput("stdout", "runs", 100_000);
  await client.continueRequest({ threadId: 1 });
  await runs;
  const set = (breakpoint) => client.setBreakpointsRequest({ source: { path: file }, breakpoints: [breakpoint] });
  for (const line of [6, 5]) {
    const verified = client.waitForEvent("breakpoint", 50_000);
    const stopped = next(client);
    const [late] = (await set({ line })).body.breakpoints;
    assert.equal(late.verified, false);
    assert.equal((await verified).body.breakpoint.id, late.id);
    assert.equal((await stopped).body.reason, "breakpoint");
    assert.equal(shown(await stack(client)), `<module>:${line}`);
    await set({ line, condition: "n < 0" });
    await client.continueRequest({ threadId: 1 });
  }
  await go(client, "pause");
  const frameId = (await stack(client))[0].id;
  await client.evaluateRequest({ expression: "n = -5000", frameId, context: "repl" });
  await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.equal(client.output("stdout"), "runs\nend\n");
  await over(client);
});

test("a breakpoint that is set while a program ends leaves a free board", async () => {
  for (const _ of [1, 2]) {
    const client = started(BOARD);
    const file = written("last.py", "import time\nx = 1\nprint('runs')\ntime.sleep(1)\n");
    await launch(client, file, { stopOnEntry: true });
    const runs = client.assertOutput("stdout", "runs", 100_000);
    await client.continueRequest({ threadId: 1 });
    await runs;
    const ended = next(client);
    await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: 2 }] });
    assert.equal((await ended).event, "terminated");
    await over(client);
  }
});

test("an exception stops where its condition is true", async () => {
  const client = started(BOARD);
  const text = "def f(n):\n    raise ValueError(n * 10)\n\nfor i in range(5):\n    try:\n        f(i)\n    except ValueError as e:\n        print(e)\n";
  const file = written("conditions.py", text);
  const condition = "__exception__.args[0] > 15 and n < 3";
  const { stopped } = await launch(client, file, { filterOptions: [{ filterId: "raised", condition }] });
  assert.equal(stopped.body.reason, "exception");
  assert.equal(listed(await variables(client, (await stack(client))[0])), "n=2");
  const wrong = { filters: [], filterOptions: [{ filterId: "raised", condition: "n <" }] };
  await assert.rejects(client.setExceptionBreakpointsRequest(wrong), /not valid Python/);
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.equal(client.output("stdout"), "0\n10\n20\n30\n40\n");
  await over(client);
});

test("a step goes into the call that was chosen", async () => {
  const client = started(BOARD);
  const text = "def add(n):\n    return n + 1\n\nclass Twice:\n    def __init__(self, n):\n        self.n = n * 2\n\ndef total(a, b):\n    return a + b.n\n\nprint(total(add(1), Twice(2)))\nprint('end')\n";
  const file = written("targets.py", text);
  for (const [name, expected] of [["add", "add:2"], ["Twice", "Twice.__init__:6"], ["total", "total:9"]]) {
    const target = started(BOARD);
    await launch(target, file, { lines: { [file]: [{ line: 11 }] } });
    const [frame] = await stack(target);
    const { body } = await target.customRequest("stepInTargets", { frameId: frame.id });
    assert.deepEqual(body.targets.map((one) => one.label), ["total", "add", "Twice"]);
    const targetId = body.targets.find((one) => one.label === name).id;
    await go(target, "stepIn", { targetId });
    assert.equal(shown(await stack(target)), `${expected} <module>:11`);
    await target.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
    assert.equal((await go(target, "continue")).event, "terminated");
    assert.equal(target.output("stdout"), "6\nend\n");
    await over(target);
  }
  await client.disconnectRequest();
});

test("an expression is followed part by part, and evaluated once", async () => {
  const client = started(BOARD);
  const text = "def add(n):\n    print('add', n)\n    return n + 1\n\nx = add(1) * 2\nprint(x)\n";
  const file = written("parts.py", text);
  await launch(client, file, { lines: { [file]: [{ line: 5 }] }, parts: true });
  const [frame] = await stack(client);
  const { body } = await client.customRequest("stepInTargets", { frameId: frame.id });
  assert.deepEqual(body.targets.map((one) => one.label), ["add", "each part of the expression"]);
  const first = await go(client, "stepIn", { targetId: body.targets[1].id });
  assert.equal(`${first.body.reason} ${first.body.description} ${first.body.text}`, "step add(1) is 2 x = 2 * 2");
  const [part] = await stack(client);
  assert.deepEqual([part.line, part.column, part.endLine, part.endColumn], [5, 5, 5, 11]);
  const second = await go(client, "next", { granularity: "instruction" });
  assert.equal(second.body.text, "x = 4");
  assert.equal(shown(await go(client, "next").then(() => stack(client))), "<module>:6");
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.equal(client.output("stdout"), "add 1\n4\n");
  await over(client);
});

test("what the board starts by itself is debugged, with its texts from the board", async () => {
  const texts = { "main.py": "import gauge\nprint(gauge.level(4))\n", "gauge.py": "def level(n):\n    return n * 2\n" };
  for (const [name, text] of Object.entries(texts)) command("cp", written(name, text), `:${name}`);
  const client = started(BOARD);
  const gauge = "/flash/gauge.py";
  const { answers } = await launch(client, undefined, { lines: { [gauge]: [{ line: 2 }] }, boot: true });
  assert.ok(answers[0].verified);
  const [frame] = await stack(client);
  assert.equal(`${frame.source.path}:${frame.line}`, `${gauge}:2`);
  const { body } = await client.customRequest("source", { source: frame.source, sourceReference: frame.source.sourceReference });
  assert.equal(body.content, texts["gauge.py"]);
  await assert.rejects(client.customRequest("source", { sourceReference: 9 }), /no such file/);
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.equal(client.output("stdout"), "8\n");
  await over(client);
  command("rm", ":main.py", ":gauge.py");
});

test("a program runs again with the same breakpoints, and a request is cancelled", async () => {
  const client = started(BOARD);
  const file = written("again.py", "x = 1\nprint('begun')\nx += 1\nprint('end', x)\n");
  await launch(client, file, { lines: { [file]: [{ line: 3 }] }, reset: true });
  const stopped = next(client);
  await client.customRequest("restart", {});
  assert.equal((await stopped).body.reason, "breakpoint");
  assert.equal(client.output("stdout"), "begun\nbegun\n");
  const frameId = (await stack(client))[0].id;
  const slow = client.evaluateRequest({ expression: "sum(range(3000000))", frameId, context: "watch" });
  const seq = client.sequence - 1;
  const refused = assert.rejects(slow, /cancelled/);
  await client.customRequest("cancel", { requestId: seq });
  await refused;
  const value = await client.evaluateRequest({ expression: "x + 1", frameId, context: "watch" });
  assert.equal(value.body.result, "2");
  assert.equal((await go(client, "continue")).event, "terminated");
  assert.equal(client.output("stdout"), "begun\nbegun\nend 2\n");
  await over(client);
});

test("a program that cannot be debugged is refused with the reason", async () => {
  const client = started(BOARD);
  await client.initializeRequest();
  const wrong = written("wrong.py", "x = 1\ndef f(:\n");
  await assert.rejects(client.launchRequest({ program: wrong }), /wrong\.py, line 2/);
  await assert.rejects(client.launchRequest({ program: path.join(FOLDER, "nowhere.py") }), /nowhere\.py/);
  await assert.rejects(client.stackTraceRequest({ threadId: 1 }));
  await assert.rejects(client.customRequest("goto", {}));
  await over(client);
});

test("every variable has an expression that is this variable, and long lists have pages", async () => {
  const client = started(BOARD);
  const text = `class P:
    def __init__(self):
        self.x = {'k': [7, 8]}
x = 1
many = list(range(1000))
def f(p):
    x = 2
    return p.x['k'][1] + x
print(f(P()))
`;
  const file = written("names.py", text);
  await launch(client, file, { lines: { [file]: [{ line: 8 }] } });
  const [frame] = await stack(client);
  const evaluated = async (expression) => (await client.evaluateRequest({ expression, frameId: frame.id, context: "watch" })).body.result;
  const items = async (one) => (await client.variablesRequest({ variablesReference: one.variablesReference })).body.variables;
  const named = (all, name) => all.find((one) => one.name === name);
  const locals = (await variables(client, frame)).all;
  const x = named(await items(named(locals, "p")), "x");
  const [k] = await items(x);
  const last = (await items(k))[1];
  assert.equal(last.evaluateName, "p.x['k'][1]");
  assert.equal(await evaluated(last.evaluateName), "8");
  const globals = (await variables(client, frame, "Globals")).all;
  assert.equal(await evaluated(named(globals, "x").evaluateName), "1");
  assert.equal(await evaluated(named(locals, "x").evaluateName), "2");
  const pages = await items(named(globals, "many"));
  assert.deepEqual(pages.map((one) => one.name).slice(0, 2), ["[0 … 99]", "[100 … 199]"]);
  const all = (await Promise.all(pages.map(items))).flat();
  assert.deepEqual(all.map((one) => one.value), Array.from({ length: 1000 }, (_, n) => `${n}`));
  assert.equal(await evaluated(all[500].evaluateName), "500");
  const part = await client.variablesRequest({ variablesReference: named(globals, "many").variablesReference, start: 990, count: 10 });
  assert.deepEqual(part.body.variables.map((one) => one.name), Array.from({ length: 10 }, (_, n) => `${990 + n}`));
  const range = (first, last) => Array.from({ length: last - first }, (_, n) => `${first + n}`);
  const asked = async (one, more) => (await client.variablesRequest({ variablesReference: one.variablesReference, ...more })).body.variables;
  const many = named(globals, "many");
  for (const [of, more, expected] of [
    [many, { start: 100, count: 500 }, range(100, 600)],
    [many, { start: 990, count: 100 }, range(990, 1000)],
    [many, { start: 950 }, range(950, 1000)],
    [many, { start: 850 }, ["[850 … 949]", "[950 … 999]"]],
    [many, { start: 2000 }, []],
    [many, { filter: "named" }, []],
    [pages[3], { start: 98 }, range(398, 400)],
    [pages[3], { filter: "indexed", start: 98, count: 50 }, range(398, 400)],
    [named(locals, "p"), { filter: "indexed" }, []],
    [named(locals, "p"), { filter: "named" }, ["x"]],
  ]) assert.deepEqual((await asked(of, more)).map((one) => one.name), expected, JSON.stringify(more));
  const assigned = async (expression, value) => (await client.customRequest("setExpression", { expression, value, frameId: frame.id })).body.value;
  assert.equal(await assigned("x", "1 + 1"), "2");
  assert.equal(await assigned("p.x['k'][0]", "6 * 7"), "42");
  await assert.rejects(assigned("x", "1 // 0"), /ZeroDivisionError/);
  await assert.rejects(assigned("p.missing.x", "1"), /AttributeError/);
  const completed = await client.customRequest("completions", { frameId: frame.id, text: "1 + ma", column: 7 });
  assert.deepEqual(completed.body.targets, [{ label: "many", start: 5, length: 2 }]);
  const behind = await client.customRequest("completions", { frameId: frame.id, text: "'\u{1f600}' + ma", column: 10 });
  assert.deepEqual(behind.body.targets, [{ label: "many", start: 8, length: 2 }]);
  const loaded = await client.customRequest("loadedSources", {});
  assert.deepEqual(loaded.body.sources.map((one) => one.path), [file]);
  const modules = await client.customRequest("modules", {});
  assert.deepEqual(modules.body.modules.map((one) => one.name), ["names.py"]);
  assert.equal((await go(client, "continue")).event, "terminated");
  await over(client);
});

test("an editor that connects while another one debugs is told so", async () => {
  const { child, port } = await serving(BOARD);
  const file = written("waits.py", "x = 5\nprint('end', x)\n");
  try {
    const client = connected(port);
    await launch(client, file, { lines: { [file]: [{ line: 2 }] } });
    let said = "";
    for await (const chunk of net.connect(port, "127.0.0.1")) said += chunk;
    assert.match(said, /another editor is already debugging this board/);
    assert.equal((await go(client, "continue")).event, "terminated");
    await over(client);
    client.vanish();
  } finally {
    child.kill();
  }
});

test("Ctrl-C ends the session of an editor that is connected, and the debugger", async () => {
  const { child, port } = await serving(BOARD);
  const file = written("interrupted.py", "x = 5\nprint('end', x)\n");
  const client = connected(port);
  const { stopped } = await launch(client, file, { lines: { [file]: [{ line: 2 }] } });
  assert.equal(stopped.body.reason, "breakpoint");
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  await client.left;
  assert.equal(await ended, 0);
});

test("editors connect one after the other, and one that vanishes leaves a free board", async () => {
  const { child, port } = await serving(BOARD);
  const file = written("short.py", "x = 5\nprint('end', x)\n");
  try {
    for (const vanishes of [true, false]) {
      const client = connected(port);
      const { stopped } = await launch(client, file, { lines: { [file]: [{ line: 2 }] } });
      assert.equal(stopped.body.reason, "breakpoint");
      if (vanishes) {
        client.vanish();
        continue;
      }
      assert.equal((await go(client, "continue")).event, "terminated");
      assert.match(client.output("stdout"), /end 5/);
      await over(client);
      client.vanish();
    }
  } finally {
    child.kill();
  }
});

test("a program gets its words", async () => {
  const client = started(BOARD);
  const file = written("words.py", "import sys\nprint(sys.argv[1:])\n");
  await launch(client, file, { args: ["a", "-b"] });
  assert.equal(client.output("stdout").replaceAll("\r", ""), "['a', '-b']\n");
  await over(client);
});

test("what makes no sense is refused with its reason, and the session goes on", async () => {
  const client = started(BOARD);
  const file = written("sense.py", "x = 1\nprint(x)\n");
  const { answers } = await launch(client, file, { lines: { [file]: [{ line: -5 }, { line: 1e12 }, { line: 2, hitCondition: "abc" }, { line: 2 }] } });
  const [negative, late, hits, good] = answers;
  for (const one of [negative, late]) assert.match(one.message, /no code at this line/);
  assert.match(hits.message, /a hit count is a number such as 5/);
  assert.deepEqual([negative, late, hits, good].map(({ verified }) => verified), [false, false, false, true]);
  await assert.rejects(client.stackTraceRequest({ threadId: 99 }), /there is no such thread/);
  const [frame] = await stack(client);
  await assert.rejects(client.evaluateRequest({ expression: "x = 5", frameId: frame.id, context: "hover" }), /the debug console runs statements/);
  client.outputStream.write("Content-Length: 9\r\n\r\n{not json");
  const value = await client.evaluateRequest({ expression: "x", frameId: frame.id, context: "hover" });
  assert.equal(value.body.result, "1");
  assert.match(client.output("important"), /not valid JSON, and is ignored/);
  assert.equal((await go(client, "continue")).event, "terminated");
  await over(client);
});

test("a message with a mistake in it is told, and the program goes on", async () => {
  const client = started(BOARD);
  const file = written("message.py", "for i in range(2):\n    print(i)\n");
  await launch(client, file, { lines: { [file]: [{ line: 2, logMessage: "{missing}" }] } });
  assert.match(client.output("console"), /NameError/);
  assert.equal(client.output("stdout").replaceAll("\r", ""), "0\n1\n");
  await over(client);
});
