// A real MicroPython: for Node as a link, for the browser behind a WebSocket.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { WebSocketServer } from "ws";

const BOARD = fileURLToPath(new URL("../../target/debug/board", import.meta.url));
/** Bytes at a time. */
const CHUNK = 10_000;
/** Bytes that may wait in the socket. */
const ATTENTIVE = 1 << 20;

/** A real MicroPython that Ctrl-C can interrupt, as a link of Node's streams. */
export async function startLink() {
  const { path, end } = await start("--no-raw-paste");
  const wire = spawn("socat", ["-", `${path},rawer`], { stdio: ["pipe", "pipe", "inherit"] });
  const link = { readable: Readable.toWeb(wire.stdout), writable: Writable.toWeb(wire.stdin) };
  return { link, stop: () => (wire.kill(), end()) };
}

/** A real MicroPython behind a WebSocket; with a `pause`, at the pace of a serial port. */
export async function startBoard({ pause = 0 } = {}) {
  const { path, end } = await start();
  const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(sockets, "listening");
  sockets.on("connection", (socket) => pass(socket, path, pause));
  const stop = async () => {
    sockets.clients.forEach((client) => client.terminate());
    sockets.close();
    await end();
  };
  return { url: `ws://127.0.0.1:${sockets.address().port}`, stop };
}

async function start(...options) {
  const board = spawn(BOARD, ["unix", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(board, "exit");
  const [path] = await once(createInterface({ input: board.stdout }), "line");
  return { path, end: () => (board.stdin.end(), ended) };
}

async function pass(socket, path, pause) {
  const wire = spawn("socat", ["-", `${path},rawer`], { stdio: ["pipe", "pipe", "inherit"] });
  socket.on("message", (bytes) => wire.stdin.write(bytes));
  socket.on("close", () => wire.kill());
  for await (const bytes of wire.stdout) {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      socket.send(bytes.subarray(at, at + CHUNK));
      if (pause) await sleep(pause);
      while (socket.bufferedAmount > ATTENTIVE) await sleep(1);
    }
  }
}
