// WebSockets in a page: a board with WebREPL's password, and one behind a bridge that asks for none.

import assert from "node:assert/strict";
import { test } from "node:test";

import { WebSocketServer } from "ws";

import { openPage } from "./browser.js";
import { Device } from "./device.js";

/** A WebSocket server with a fake board behind it; WebREPL, if it has a password. */
async function listen(t, password) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const messages = [];
  server.on("connection", (socket) => serve(socket, password, messages));
  return { url: `ws://127.0.0.1:${server.address().port}`, messages };
}

function serve(socket, password, messages) {
  const { link } = new Device();
  const writer = link.writable.getWriter();
  let typed = "";
  let open = password === undefined;
  if (!open) socket.send("Password: ");
  else connect();
  socket.on("message", (data, isBinary) => {
    messages.push({ isBinary, bytes: data.length });
    if (open) return void writer.write(new Uint8Array(data));
    typed += data;
    if (!typed.endsWith("\r")) return;
    if (typed !== `${password}\r`) {
      socket.send("\r\nAccess denied\r\n");
      return socket.close();
    }
    open = true;
    socket.send("\r\nWebREPL connected\r\n>>> ");
    connect();
  });
  async function connect() {
    for await (const chunk of link.readable) socket.send(password === undefined ? chunk : new TextDecoder().decode(chunk));
  }
}

test("WebREPL's password is given and then the board runs programs", async (t) => {
  const page = await openPage(t, "plain");
  const { url, messages } = await listen(t, "secret");
  const seen = await page.evaluate(async (url) => {
    const link = await flylead.openSocket(url, { password: async () => "secret" });
    const board = flylead.Board.attach(link);
    const { stdout } = await board.exec("print héllo");
    await board.close();
    const writer = link.writable.getWriter();
    await writer.write(new TextEncoder().encode("é".repeat(300)));
    writer.releaseLock();
    await link.close();
    return { stdout, label: link.label, state: link.socket.readyState, textOnly: link.textOnly };
  }, url);
  assert.deepEqual(seen, { stdout: "héllo", label: `${url}/`, state: 3, textOnly: true });
  // WebREPL takes binary frames for files, and loses what its buffer of 255 bytes has no room for.
  assert.ok(messages.every(({ isBinary, bytes }) => !isBinary && bytes <= 128), JSON.stringify(messages));
  assert.ok(messages.reduce((sum, { bytes }) => sum + bytes, 0) > 600);
});

test("a wrong password, none, and nobody there are refused by name", async (t) => {
  const page = await openPage(t, "plain");
  const { url } = await listen(t, "secret");
  const seen = await page.evaluate(async (url) => {
    const name = async (...args) => (await refusal(flylead.openSocket(...args))).name;
    return [
      await name(url, { password: "wrong" }),
      await name(url),
      await name("ws://127.0.0.1:9"),
      await name("no address at all:"),
    ];
  }, url);
  assert.deepEqual(seen, ["PasswordError", "PasswordError", "LinkError", "LinkError"]);
});

test("a board behind a bridge needs no password and gets its bytes as they are", async (t) => {
  const page = await openPage(t, "plain");
  const { url, messages } = await listen(t);
  const seen = await page.evaluate(async (url) => {
    const board = flylead.Board.attach(await flylead.openSocket(url));
    const run = board.run("hang");
    let text = "";
    for await (const piece of run) {
      text += piece;
      board.interrupt();
    }
    return { text, outcome: (await run.done).kind };
  }, url);
  assert.deepEqual(seen, { text: "hanging", outcome: "raised" });
  assert.ok(messages.length > 0 && messages.every(({ isBinary }) => isBinary));
});

test("a board whose socket closes is lost", async (t) => {
  const page = await openPage(t, "plain");
  const { url } = await listen(t);
  const seen = await page.evaluate(async (url) => {
    const link = await flylead.openSocket(url);
    const board = flylead.Board.attach(link);
    const running = refusal(board.exec("hang"));
    link.socket.close();
    const { reason } = await board.lost;
    return { reason, running: (await running).name, locked: link.readable.locked };
  }, url);
  assert.deepEqual(seen, { reason: "closed", running: "LostError", locked: false });
});
