/** A real MicroPython for the page: the jailed unix port behind a pty, and that pty behind a WebREPL. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const PROGRAM = fileURLToPath(new URL("../../target/debug/board", import.meta.url));

/**
 * Starts a board that Ctrl-C can interrupt, or one with raw-paste mode, whose `machine.unique_id()` is `number`, or a `microbit`;
 * `{ path, stop }`.
 */
export async function startBoard({ kind = "unix", rawPaste = false, number } = {}) {
  assert.ok(existsSync(PROGRAM), "the board is not built: cargo build -p flylead-tests --bin board");
  const options = kind === "unix" ? [...(rawPaste ? [] : ["--no-raw-paste"]), ...(number ? ["--unique-id", number] : [])] : [];
  const process = spawn(PROGRAM, [kind, ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => process.once("exit", resolve));
  const path = await Promise.race([firstLine(process.stdout), ended.then(() => assert.fail("the board did not start"))]);
  return { path, stop: () => (process.stdin.end(), ended) };
}

/** Starts an emulated Pico, which keeps a processor busy; where no image can be had, says that `part` is not run, and returns `undefined`. */
export async function startPico(part) {
  const pico = await startBoard({ kind: "pico" }).catch(() => undefined);
  if (!pico) console.log(`skipped: NOT RUN: pico ${part}: no image`);
  return pico;
}

/** Starts something else at a port, of this kind; `{ path, sentence, stop }`, with what a person is told of it. */
export async function startStranger(kind) {
  const process = spawn(PROGRAM, ["stranger", "--kind", kind], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => process.once("exit", resolve));
  const [path, sentence] = await new Promise((resolve) => process.stdout.once("data", (bytes) => resolve(String(bytes).split("\n"))));
  return { path, sentence, stop: () => (process.stdin.end(), ended) };
}

/**
 * Starts the boot ROM of an ESP chip with an empty flash; `{ path, flash, stop }`, where `flash` answers with the content of
 * its flash now, and with the number of bytes that were `written` to it.
 */
export async function startEsp(kind) {
  const folder = await mkdtemp(join(tmpdir(), "flylead-esp-"));
  const file = join(folder, "flash.bin");
  const process = spawn(PROGRAM, ["esp", "--kind", kind, "--flash", file], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => process.once("exit", resolve));
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value ?? assert.fail("the chip has ended");
  const path = await next();
  return {
    path,
    flash: async () => {
      process.stdin.write("\n");
      const written = Number.parseInt(await next(), 10);
      return { bytes: await readFile(file), written };
    },
    stop: async () => {
      process.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The board at `path` behind a WebREPL with this password, as MicroPython's own speaks: text frames. */
export async function startWebRepl(path, password) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  server.on("connection", (socket) => login(socket, path, password));
  return {
    address: `127.0.0.1:${server.address().port}`,
    /** Cuts the wire to everybody. */
    cut: () => server.clients.forEach((client) => client.terminate()),
    stop: () => new Promise((resolve) => (server.clients.forEach((client) => client.terminate()), server.close(resolve))),
  };
}

function login(socket, path, password) {
  let typed = "";
  const listen = (data) => {
    typed += data;
    if (!/[\r\n]/.test(typed)) return;
    socket.off("message", listen);
    if (typed.trim() === password) return welcome(socket, path);
    socket.send("\r\nAccess denied\r\n");
    socket.close();
  };
  socket.on("message", listen);
  socket.send("Password: ");
}

function welcome(socket, path) {
  socket.send("\r\nWebREPL connected\r\n>>> ");
  const wire = spawn("socat", ["-", `${path},rawer`], { stdio: ["pipe", "pipe", "inherit"] });
  wire.stdout.on("data", (bytes) => socket.send(bytes.toString("latin1")));
  socket.on("message", (bytes) => wire.stdin.write(bytes));
  socket.on("close", () => wire.kill());
  wire.on("exit", () => socket.close());
}

function firstLine(stream) {
  return new Promise((resolve) => stream.once("data", (bytes) => resolve(String(bytes).split("\n")[0])));
}
