// Editors that attach to a program which runs already, leave it, and come back.
import assert from "node:assert/strict";
import test, { afterEach } from "node:test";

import { connected, serving, stopLeft } from "./client.js";
import { BOARD, go, next, over, shown, stack, variables, written } from "./steps.js";

const LOOP = `import time

done = False

def count(n):
    m = n + 1
    return m

print('begins')
i = 0
while not done:
    i = count(i)
    time.sleep_ms(5)
print('ends', i > 0)
`;

afterEach(stopLeft);

/** Attaches as an editor does, and returns the first stop, if the program is to stop. */
async function attach(client, { lines = {}, filters = [], stops = false } = {}) {
  if (client.messages.length === 0) await client.initializeRequest();
  const initialized = client.waitForEvent("initialized", 100_000);
  await client.attachRequest({});
  await initialized;
  // A program that runs may stop as soon as it has a breakpoint.
  const stopped = next(client);
  for (const [file, breakpoints] of Object.entries(lines)) await client.setBreakpointsRequest({ source: { path: file }, breakpoints });
  await client.setExceptionBreakpointsRequest({ filters });
  await client.configurationDoneRequest();
  return stops ? stopped : undefined;
}

async function pause(client) {
  const stopped = next(client);
  await client.pauseRequest({ threadId: 1 });
  return stopped;
}

/** Waits until a program has printed a text. */
async function said(printed, text) {
  while (!printed.text.includes(text)) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Value of the global `i`, which grows as long as the program runs. */
async function counted(client) {
  const { body } = await client.evaluateRequest({ expression: "i", frameId: (await stack(client))[0].id });
  return Number(body.result);
}

/** Ends the loop through a client whose program is stopped, and awaits the program's end. */
async function finish(client, child) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const { id: frameId } = (await stack(client)).at(-1);
  await client.customRequest("setExpression", { expression: "done", value: "True", frameId });
  assert.equal((await go(client, "continue")).event, "terminated");
  await over(client);
  assert.equal(await ended, 0);
}

test("editors attach to a program that runs, and leave it running", async () => {
  const file = written("loop.py", LOOP);
  const { child, port, printed } = await serving(BOARD, file);
  const first = connected(port);
  const stopped = await attach(first, { lines: { [file]: [{ line: 6 }] }, stops: true });
  assert.equal(stopped.body.reason, "breakpoint");
  const [frame] = await stack(first);
  assert.equal(shown([frame]), "count:6");
  const before = Number((await variables(first, frame)).all.find(({ name }) => name === "n").value);
  await over(first);

  const second = connected(port);
  await attach(second);
  assert.equal((await pause(second)).body.reason, "pause");
  const then = await counted(second);
  assert.ok(then > before + 1, `${then} after ${before}: the breakpoint of the first is gone`);
  // One that is gone without a word leaves it running, too.
  second.vanish();

  const third = connected(port);
  await attach(third);
  await pause(third);
  assert.ok((await counted(third)) > then);
  await finish(third, child);
  assert.equal(printed.text.replaceAll("\r\n", "\n"), "begins\nends True\n");
});

test("a program that waits for an editor starts when it has its breakpoints", async () => {
  const file = written("waits.py", "print('one')\nprint('two')\n");
  const { child, port, printed } = await serving(BOARD, "--wait", file);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const client = connected(port);
  const stopped = await attach(client, { lines: { [file]: [{ line: 1 }] }, stops: true });
  assert.equal(stopped.body.reason, "breakpoint");
  assert.equal(printed.text, "");
  assert.equal((await go(client, "continue")).event, "terminated");
  await over(client);
  assert.equal(await ended, 0);
  assert.equal(client.output("stdout"), "one\ntwo\n");
});

test("a program ends by itself, by an editor's wish or by Ctrl-C, whoever is attached", async () => {
  const short = await serving(BOARD, written("short.py", "print('alone')\n"));
  assert.equal(await new Promise((resolve) => short.child.once("exit", resolve)), 0);
  assert.equal(short.printed.text.trim(), "alone");

  const file = written("loop.py", LOOP);
  const wanted = await serving(BOARD, file);
  const ended = new Promise((resolve) => wanted.child.once("exit", resolve));
  const client = connected(wanted.port);
  await attach(client);
  await client.disconnectRequest({ terminateDebuggee: true });
  assert.equal(await ended, 0);
  assert.deepEqual(client.faults, []);

  const pressed = await serving(BOARD, file);
  const interrupted = new Promise((resolve) => pressed.child.once("exit", resolve));
  const other = connected(pressed.port);
  await attach(other);
  pressed.child.kill("SIGINT");
  await other.waitForEvent("terminated");
  await over(other);
  assert.equal(await interrupted, 0);
});

test("an editor that attaches to a running program stops it at exceptions, and starts it again", async () => {
  const file = written("raises.py", LOOP.replace("    i = count(i)", "    try:\n        i = count(i) + int('x' * (i % 2))\n    except ValueError:\n        i += 1"));
  const { child, port, printed } = await serving(BOARD, file);
  await said(printed, "begins");
  const client = connected(port);
  assert.equal((await attach(client, { filters: ["raised"], stops: true })).body.reason, "exception");
  await client.setExceptionBreakpointsRequest({ filters: [] });
  await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [{ line: 9 }] });
  const again = next(client);
  await client.customRequest("restart", {});
  assert.equal((await again).body.reason, "breakpoint");
  assert.equal((await stack(client))[0].line, 9);
  await client.setBreakpointsRequest({ source: { path: file }, breakpoints: [] });
  await client.continueRequest({ threadId: 1 });
  await pause(client);
  await finish(client, child);
});

test("an editor that pauses a program that sleeps, and vanishes, lets it go on", async () => {
  const { child, port, printed } = await serving(BOARD, written("sleeps.py", "import time\nprint('begins')\ntime.sleep(4)\nprint('ends')\n"));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await said(printed, "begins");
  const client = connected(port);
  await attach(client);
  await client.pauseRequest({ threadId: 1 });
  client.vanish();
  assert.equal(await ended, 0);
  assert.match(printed.text, /ends/);
});

test("an editor hears of nothing before it has attached", async () => {
  const { child, port, printed } = await serving(BOARD, written("prints.py", LOOP.replace("time.sleep_ms(5)", "time.sleep_ms(5)\n    print(i)")));
  const client = connected(port);
  await said(printed, "9");
  await client.initializeRequest();
  assert.equal(client.messages[0].command, "initialize");
  await attach(client);
  await pause(client);
  await finish(client, child);
});

test("an editor that starts a program where one runs is told to attach, and the other way around", async () => {
  const file = written("loop.py", LOOP);
  const { child, port } = await serving(BOARD, file);
  const client = connected(port);
  await client.initializeRequest();
  await assert.rejects(client.launchRequest({ program: file }), /a program is already running for editors to attach to; use the request `attach`/);
  await assert.rejects(client.threadsRequest(), /send `attach` first/);
  await attach(client);
  let said = "";
  const other = connected(port);
  other.on("output", ({ body }) => (said += body.output));
  await other.waitForEvent("terminated", 100_000);
  assert.match(said, /another editor is already debugging this board/);
  await pause(client);
  await finish(client, child);

  const none = await serving(BOARD);
  const early = connected(none.port);
  await early.initializeRequest();
  await assert.rejects(early.attachRequest({}), /no program to attach to/);
  none.child.kill();
});
