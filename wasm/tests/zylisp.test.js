// Zylisp REPLs: in the page and in Node itself, and over WebSockets of the real server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { init, isFlyleadError, isUnfinished, Zylisp } from "flylead/zylisp";
import { init as initServer, openServer } from "flylead/zylisp-server";
import { WebSocket, WebSocketServer } from "ws";

import { openPage } from "./browser.js";

// Node has one of its own from version 22 on.
globalThis.WebSocket ??= WebSocket;

const FOREVER = "(define f (lambda () (f))) (f)";
const PROGRAM = fileURLToPath(new URL("../../target/debug/flylead", import.meta.url));

await Promise.all([init(), initServer()]);

/** The real server on a WebSocket; answers its address. */
async function serve(t, ...options) {
  const child = spawn(PROGRAM, ["zylisp", "serve", "ws://127.0.0.1:0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const line of createInterface({ input: child.stdout })) return line.replace("listening on ", "");
  throw new Error("the server does not listen");
}

function local(t, options, serverOptions) {
  const zylisp = Zylisp.attach(openServer(serverOptions), options);
  t.after(() => zylisp.close());
  return zylisp;
}

test("a source that ends within a list or a string is unfinished", () => {
  const sources = ["(+ 1 2)", "(+ 1", '(print "a', "", ")", "(a) (b"];
  assert.deepEqual(sources.map(isUnfinished), [false, true, true, false, false, true]);
});

test("values, errors and output are results", async (t) => {
  const zylisp = local(t);
  assert.deepEqual(await zylisp.eval('(println "hello") (list 1 "a" (list))'), {
    output: "hello\n",
    omitted: 0,
    kind: "value",
    value: [1, "a", []],
    text: '(1 "a" ())',
    more: false,
  });
  assert.deepEqual(await zylisp.eval("(/ 1 0)").done, {
    output: "",
    omitted: 0,
    kind: "error",
    type: "arithmetic-error",
    message: "division by zero",
    trace: [{ line: 1, column: 1 }],
    traceOmitted: 0,
  });
  assert.equal((await zylisp.eval("(define x 9007199254740993) x")).text, "9007199254740993");
  assert.equal((await zylisp.eval("+")).text, "<primitive:+>");
});

test("an error tells the calls that led to it, each with its source and place", async (t) => {
  const zylisp = local(t);
  await zylisp.eval('(define half\n  (lambda (n) (+ 1 (/ n 0))))', { file: "half.zl" });
  const error = await zylisp.eval("\n(println (half 3))", { file: "typed" }).done;
  assert.deepEqual([error.message, error.trace], [
    "division by zero",
    [
      { function: "half", file: "half.zl", line: 2, column: 20 },
      { file: "typed", line: 2, column: 10 },
    ],
  ]);
  const unread = await zylisp.eval("(+ 1", { file: "typed" }).done;
  assert.deepEqual([unread.type, unread.trace], ["syntax-error", [{ file: "typed", line: 1, column: 1 }]]);
  assert.throws(() => zylisp.eval("1", { name: "typed" }), { name: "TypeError" });
});

test("names are completed and explained while something runs", async (t) => {
  const zylisp = local(t);
  await zylisp.eval("(define quadruple\n  (lambda (number) (* 4 number)))", { file: "q.zl" });
  const endless = zylisp.eval(FOREVER);
  assert.deepEqual(await zylisp.complete("quad"), [{ candidate: "quadruple", type: "function" }]);
  assert.deepEqual(await zylisp.complete("no such name"), []);
  const { usage, file, line } = await zylisp.lookUp("quadruple");
  assert.deepEqual({ usage, file, line }, { usage: "(quadruple number)", file: "q.zl", line: 2 });
  assert.match((await zylisp.lookUp("car")).doc, /first/);
  assert.equal(await zylisp.lookUp("nothing"), undefined);
  endless.cancel();
  await endless;
});

test("a value that is too long comes page by page", async (t) => {
  const zylisp = local(t);
  const first = await zylisp.eval("(list 10 20 30 40)", { page: 6 }).done;
  assert.deepEqual([first.text, first.more], ["(10 20", true]);
  const second = await zylisp.more(100);
  assert.deepEqual([second.text, second.more], [" 30 40)", false]);
  await assert.rejects(zylisp.more(100), { name: "RefusedError" });
});

test("evaluations take turns, and one that waits can be given up", async (t) => {
  const zylisp = local(t);
  const [slow, given, next] = [FOREVER, "(f)", "(+ 40 2)"].map((code) => zylisp.eval(code));
  given.cancel();
  assert.equal((await given).kind, "interrupted");
  slow.cancel();
  assert.equal((await slow).kind, "interrupted");
  assert.equal((await next).value, 42);
  next.cancel();
  assert.equal(await zylisp.interrupt(), false);
});

test("output comes while the program runs, and a slow reader is bounded", async (t) => {
  const zylisp = local(t, { outputLimit: 100 });
  const endless = zylisp.eval("(define p (lambda () (if (println \"again\") 0 (p)))) (p)");
  for await (const text of endless) {
    assert.ok(text.includes("again\n"), text);
    endless.cancel();
    break;
  }
  const { kind, output, omitted } = await endless;
  assert.equal(kind, "interrupted");
  assert.equal(output.length, 100);
  assert.ok(omitted > 0);
  const printed = [];
  for await (const text of zylisp.eval("(println 1)")) printed.push(text);
  assert.equal(printed.join(""), "1\n");
});

test("an evaluation past its time is an error of the program", async (t) => {
  const zylisp = local(t, {}, { evalTimeout: 30 });
  assert.equal((await zylisp.eval(FOREVER)).type, "limit-error");
  assert.equal((await zylisp.eval("1")).value, 1);
  assert.throws(() => openServer({ evalTimeout: -1 }), { name: "TypeError", message: /evalTimeout/ });
});

test("what is closed refuses everything by name", async (t) => {
  const zylisp = Zylisp.attach(openServer());
  const running = zylisp.eval(FOREVER);
  await zylisp.close();
  await assert.rejects(running.done, { name: "ClosedError" });
  await assert.rejects(zylisp.eval("1").done, { name: "ClosedError" });
  await assert.rejects(zylisp.describe(), { name: "ClosedError" });
  assert.equal(await zylisp.lost, undefined);
  zylisp.free();
});

test("a session takes its link over: no other may use it, and closing it stops what runs there", async (t) => {
  assert.throws(() => Zylisp.attach({}), { name: "TypeError", message: /readable/ });
  const link = openServer();
  const zylisp = Zylisp.attach(link);
  assert.throws(() => Zylisp.attach(link), { name: "TypeError", message: /locked/ });
  const running = zylisp.eval(FOREVER);
  // It runs once something of it is answered.
  await zylisp.complete("ca");
  zylisp.close();
  await assert.rejects(running.done, { name: "ClosedError" });
  assert.deepEqual(await link.readable.getReader().read(), { done: true, value: undefined });
});

test("a page stays alive while it evaluates, and interrupts at once", async (t) => {
  const page = await openPage(t, "plain");
  const { frames, times, kinds } = await page.evaluate(async (forever) => {
    const zylisp = flylead.Zylisp.attach(flylead.openServer());
    const loop = zylisp.eval(forever);
    let frames = 0;
    for (const until = performance.now() + 200; performance.now() < until; frames++) await sleep(0);
    loop.cancel();
    const kinds = [(await loop).kind];
    const times = [];
    for (let i = 0; i < 50; i++) {
      const loop = zylisp.eval(forever);
      await sleep(5);
      const asked = performance.now();
      zylisp.interrupt();
      await loop;
      times.push(performance.now() - asked);
    }
    await zylisp.close();
    return { frames, times: times.sort((a, b) => a - b), kinds };
  }, FOREVER);
  assert.deepEqual(kinds, ["interrupted"]);
  assert.ok(frames > 2, `${frames} turns of the page in 200 ms`);
  console.log(`interrupt in the page: median ${times[25].toFixed(1)} ms, longest of 50 ${times[49].toFixed(1)} ms`);
});

test("a page uses the real server over a WebSocket, if its origin may", async (t) => {
  const page = await openPage(t, "plain");
  const origin = await page.evaluate(() => location.origin);
  const [known, stranger] = [await serve(t, "--origin", origin), await serve(t)];
  const seen = await page.evaluate(
    async ([known, stranger, forever]) => {
      const zylisp = await flylead.Zylisp.connect(known);
      const printed = [];
      const evaluation = zylisp.eval('(println "héllo") (+ 1 2)');
      for await (const text of evaluation) printed.push(text);
      const { value } = await evaluation;
      const { session, evaluator } = await zylisp.describe();
      const other = await flylead.Zylisp.connect(new URL(known));
      const loop = zylisp.eval(forever);
      while (!(await other.interrupt(session))) await sleep(10);
      const { kind } = await loop;
      await Promise.all([zylisp.close(), other.close()]);
      const refused = await refusal(flylead.Zylisp.connect(stranger));
      return { printed, value, evaluator, kind, refused: refused.name };
    },
    [known, stranger, FOREVER],
  );
  assert.deepEqual(seen, { printed: ["héllo\n"], value: 3, evaluator: "zylisp", kind: "interrupted", refused: "LinkError" });
});

test("Node speaks MessagePack with the real server, and shows its token", async (t) => {
  const url = await serve(t, "--codec", "msgpack", "--token", "secret");
  await assert.rejects(Zylisp.connect(url, { codec: "msgpack", token: "wrong" }), { name: "RefusedError" });
  const zylisp = await Zylisp.connect(url, { codec: "msgpack", token: "secret" });
  assert.deepEqual((await zylisp.eval('(list 1 "é" true)')).value, [1, "é", true]);
  await assert.rejects(zylisp.load("nothing").done, { name: "RefusedError" });
  await zylisp.close();
  const mistaken = await Zylisp.connect(url);
  const error = await mistaken.eval("1").done.catch((error) => error);
  assert.equal(error.name, "LostError");
  assert.equal(error.reason, "garbage");
  await mistaken.close();
});

test("a server that goes is told by name, and one that never answers in time", async (t) => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  t.after(() => server.close());
  server.on("connection", (socket) =>
    socket.on("message", () => {
      socket.send('{"id":"","status":["error"],"protocol_error":"no room"}');
      socket.close();
    }),
  );
  const zylisp = await Zylisp.connect(`ws://127.0.0.1:${server.address().port}`);
  const error = await zylisp.eval("1").done.catch((error) => error);
  assert.ok(isFlyleadError(error));
  assert.deepEqual([error.name, error.message], ["LostError", "no room"]);
  assert.equal((await zylisp.lost).name, "LostError");
  await assert.rejects(Zylisp.connect("ws://127.0.0.1:9"), { name: "LinkError" });
  await assert.rejects(Zylisp.connect("no address at all:"), { name: "LinkError" });
  await assert.rejects(Zylisp.connect("ws://127.0.0.1:9", { codec: "bencode" }), TypeError);
});
