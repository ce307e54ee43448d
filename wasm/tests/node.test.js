// The package in Node: from the disk, over Node's own streams.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { Board, hasSerial, init, isFlyleadError, openSerial, serialPorts } from "flylead";

import { Device } from "./device.js";

await init();

test("a board behind Node's streams runs programs", async () => {
  const child = spawn(process.execPath, [new URL("device-process.js", import.meta.url).pathname]);
  const link = { readable: Readable.toWeb(child.stdout), writable: Writable.toWeb(child.stdin) };
  const board = Board.attach(link);
  const { stdout, bytes, exited } = await board.exec("print héllo");
  assert.equal(stdout, "héllo");
  assert.deepEqual([...bytes], [...Buffer.from("héllo")]);
  assert.equal(exited, false);
  child.kill();
  const error = await board.lost;
  assert.equal(error.name, "LostError");
  assert.equal(link.readable.locked, false);
  assert.equal(link.writable.locked, false);
});

test("live output is text for who iterates and bytes for who wants a stream", async () => {
  const board = Board.attach(new Device().link);
  let text = "";
  for await (const piece of board.run("print € 1")) text += piece;
  assert.equal(text, "€ 1");
  const chunks = [];
  for await (const chunk of board.run("print € 2").readable) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), "€ 2");
  await board.close();
});

test("leaving a loop early leaves the rest to the next one", async () => {
  const board = Board.attach(new Device().link);
  const run = board.run("hang");
  for await (const piece of run) if (piece === "hanging") break;
  board.interrupt();
  for await (const piece of run) assert.fail(`nothing more is printed, but: ${piece}`);
  assert.equal((await run.done).kind, "raised");
  await board.close();
});

test("a board that restarts ends a program as that, and runs the next one", async () => {
  const board = Board.attach(new Device().link);
  await assert.rejects(board.exec("restart"), { name: "RestartedError" });
  const run = board.run("restart");
  for await (const piece of run) assert.ok(piece);
  assert.equal((await run.done).kind, "restarted");
  assert.equal((await board.exec("print 1")).stdout, "1");
  await board.close();
});

test("nobody has to look at the outcome of a run", async () => {
  const device = new Device();
  const board = Board.attach(device.link);
  board.run("hang");
  // An unhandled rejection would end this process.
  await board.close();
  await new Promise((resolve) => setImmediate(resolve));
});

test("the terminal is the board's own prompt", async () => {
  const device = new Device();
  const board = Board.attach(device.link);
  const { readable, writable } = board.terminal;
  assert.equal(board.terminal.readable, readable);
  const keyboard = writable.getWriter();
  const screen = readable.getReader();
  await keyboard.write(new TextEncoder().encode("x"));
  assert.equal(new TextDecoder().decode((await screen.read()).value), "x");
  await board.exec("print 1");
  await keyboard.write(new TextEncoder().encode("lost in raw mode"));
  await board.leave();
  let text = "";
  while (!text.endsWith(">>> ")) text += new TextDecoder().decode((await screen.read()).value);
  assert.ok(!text.includes("lost"));
  await board.close();
  assert.equal((await screen.read()).done, true);
});

test("refusals have names that a switch can be made of", async () => {
  const board = Board.attach(new Device().link);
  const error = await board.exec("raise").catch((error) => error);
  assert.ok(error instanceof Error && isFlyleadError(error));
  assert.equal(isFlyleadError(new TypeError("no")), false);
  await assert.rejects(board.exec(42), TypeError);
  await assert.rejects(board.exec("print 1", { timeout: -1 }), TypeError);
  assert.throws(() => board.run("\x03"), { name: "ControlByteError", offset: 0 });
  await board.close();
  assert.throws(() => board.interrupt(), { name: "ClosedError" });
});

test("a board is disposed of with its block", async () => {
  const device = new Device();
  const board = Board.attach(device.link);
  board[Symbol.dispose]();
  assert.equal(device.isLocked(), false);
});

test("a board that only its promise needs finishes its program, whatever garbage is collected", async (t) => {
  setFlagsFromString("--expose-gc");
  const collecting = setInterval(runInNewContext("gc"), 10);
  t.after(() => clearInterval(collecting));
  const { readable, writable } = new Device().link;
  const slow = new TransformStream({ transform: async (chunk, out) => (await sleep(200), out.enqueue(chunk)) });
  const { stdout } = await Board.attach({ readable: readable.pipeThrough(slow), writable }).exec("print 42");
  assert.equal(stdout, "42");
});

test("what only a browser has is refused by name", async () => {
  assert.equal(hasSerial(), false);
  assert.deepEqual(await serialPorts(), []);
  await assert.rejects(openSerial(), { name: "UnsupportedError" });
});
