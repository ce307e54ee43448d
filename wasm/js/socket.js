// A WebSocket as a link. WebREPL's password prompt is answered before anybody sees the streams.

import { named } from "./errors.js";

const TIMEOUT = 10_000;
// How much may wait in the socket before a writer is held back, and how often to look: sockets have no "drained" event.
const HIGH_WATER = 64 * 1024;
const POLL = 5;

const PROMPT = "Password: ";
const GRANTED = "WebREPL connected";
const DENIED = "Access denied";

export async function openSocket(url, { password, timeout = TIMEOUT, protocols = [] } = {}) {
  const socket = connect(url, protocols);
  const link = new SocketLink(socket);
  try {
    await within(timeout, opened(socket), `${url} did not answer`);
    if (password !== undefined) await login(link, password, timeout);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

/**
 * The socket's messages as bytes. A socket cannot be told to wait, so what nobody reads is kept by the stream; a board
 * behind it is slower than any page.
 */
class SocketLink {
  constructor(socket) {
    this.socket = socket;
    this.label = socket.url;
    this.readable = new ReadableStream(source(socket));
    this.writable = new WritableStream(sink(socket));
  }

  async close() {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.socket.addEventListener("close", resolve, { once: true }));
    this.socket.close();
    // A peer that is gone never confirms.
    await Promise.race([closed, sleep(1000)]);
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.close();
  }
}

function connect(url, protocols) {
  try {
    const socket = new WebSocket(url, protocols);
    socket.binaryType = "arraybuffer";
    return socket;
  } catch (error) {
    throw named("LinkError", `${url} is no address of a WebSocket that this page may open`, error);
  }
}

function opened(socket) {
  return new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    const fail = () => reject(named("LinkError", `${socket.url} could not be reached`));
    socket.addEventListener("error", fail, { once: true });
    socket.addEventListener("close", fail, { once: true });
  });
}

function source(socket) {
  return {
    start(controller) {
      const encoder = new TextEncoder();
      let over = false;
      const end = (finish) => {
        if (!over) finish();
        over = true;
      };
      socket.addEventListener("message", ({ data }) => {
        if (!over) controller.enqueue(typeof data === "string" ? encoder.encode(data) : new Uint8Array(data));
      });
      socket.addEventListener("close", () => end(() => controller.close()));
      this.cancel = () => end(() => socket.close());
    },
  };
}

function sink(socket) {
  return {
    async write(chunk) {
      if (socket.readyState !== WebSocket.OPEN) throw named("LinkError", "the WebSocket is closed");
      // WebREPL takes text frames as typed and binary ones as files; what is no text can only go as binary.
      socket.send(asText(chunk) ?? chunk);
      while (socket.bufferedAmount > HIGH_WATER && socket.readyState === WebSocket.OPEN) await sleep(POLL);
    },
    close: () => socket.close(),
    abort: () => socket.close(),
  };
}

function asText(chunk) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(chunk);
  } catch {
    return undefined;
  }
}

async function login(link, password, timeout) {
  await within(timeout, answerPrompt(link, password), "the board did not ask for its password");
}
