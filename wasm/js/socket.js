// A WebSocket as a link. WebREPL's password prompt is answered before anybody sees the streams.

import { named } from "./errors.js";

const TIMEOUT = 10_000;
// How long a peer that may or may not ask for a password has to do so, with somebody there to answer and without.
const PROMPT_WAIT = 2000;
const BRIEF_WAIT = 250;
// How much may wait in the socket before a writer is held back, and how often to look: sockets have no "drained" event.
const HIGH_WATER = 64 * 1024;
const POLL = 5;

const PROMPT = "Password: ";
const GRANTED = "WebREPL connected\r\n";
const DENIED = "Access denied";

export async function openSocket(url, { password, timeout = TIMEOUT, protocols = [] } = {}) {
  const socket = connect(url, protocols);
  const messages = new Messages(socket);
  try {
    await opened(socket, timeout);
    const isWebRepl = await login(socket, messages, password, timeout);
    if (messages.reason) throw named("LinkError", `${socket.url} says: ${messages.reason}`);
    return new SocketLink(socket, messages, isWebRepl);
  } catch (error) {
    socket.close();
    throw error;
  }
}

class SocketLink {
  constructor(socket, messages, isWebRepl) {
    this.socket = socket;
    this.label = socket.url;
    this.textOnly = isWebRepl;
    this.readable = messages.stream();
    this.writable = new WritableStream(sink(socket, isWebRepl ? textFrames(socket) : binaryFrames(socket)));
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

/**
 * The socket's messages as bytes, from the first one on. A socket cannot be told to wait, so what nobody reads is kept.
 */
class Messages {
  #chunks = [];
  #closed = false;
  #wake = () => {};
  /** Why the peer closed the socket, if it said so. */
  reason = "";

  constructor(socket) {
    const encoder = new TextEncoder();
    socket.addEventListener("message", ({ data }) => {
      this.#chunks.push(typeof data === "string" ? encoder.encode(data) : new Uint8Array(data));
      this.#wake();
    });
    socket.addEventListener("close", ({ reason }) => {
      this.#closed = true;
      this.reason = reason;
      this.#wake();
    });
  }

  /** The next message; `undefined` when the socket has closed. */
  async next() {
    while (this.#chunks.length === 0 && !this.#closed) {
      await new Promise((resolve) => (this.#wake = resolve));
    }
    return this.#chunks.shift();
  }

  putBack(chunk) {
    if (chunk.length > 0) this.#chunks.unshift(chunk);
    this.#wake();
  }

  stream() {
    const pull = async (controller) => {
      const chunk = await this.next();
      if (chunk === undefined && this.reason) controller.error(named("LinkError", this.reason));
      else if (chunk === undefined) controller.close();
      else if (chunk.length > 0) controller.enqueue(chunk);
      else await pull(controller);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
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

async function opened(socket, timeout) {
  const open = new Promise((resolve, reject) => {
    socket.addEventListener("open", () => resolve(true), { once: true });
    const fail = () => reject(named("LinkError", `${socket.url} could not be reached`));
    socket.addEventListener("error", fail, { once: true });
    socket.addEventListener("close", fail, { once: true });
  });
  await within(open, timeout, `${socket.url} did not answer within ${timeout} ms`);
}

/** Answers WebREPL if it is one; says whether it is. */
async function login(socket, messages, password, timeout) {
  const wait = typeof password === "string" ? timeout : password ? PROMPT_WAIT : BRIEF_WAIT;
  if (!(await asksForPassword(messages, wait))) {
    if (typeof password !== "string") return false;
    throw named("TimeoutError", "the board did not ask for its password; connect without one");
  }
  if (password === undefined) throw named("PasswordError", "the board asks for a password");
  const answer = typeof password === "string" ? password : await password();
  socket.send(`${answer}\r`);
  await within(granted(messages), timeout, "the board did not answer to its password");
  return true;
}

async function asksForPassword(messages, wait) {
  let text = "";
  const decoder = new TextDecoder();
  const seen = [];
  const prompt = (async () => {
    while (PROMPT.startsWith(text)) {
      const chunk = await messages.next();
      if (chunk === undefined) return false;
      seen.push(chunk);
      text += decoder.decode(chunk, { stream: true });
      if (text.endsWith(PROMPT)) return true;
    }
    return false;
  })();
  const asked = await Promise.race([prompt, sleep(wait).then(() => false)]);
  if (!asked) for (const chunk of seen.reverse()) messages.putBack(chunk);
  return asked;
}

async function granted(messages) {
  let text = "";
  for (;;) {
    const chunk = await messages.next();
    if (chunk === undefined || text.includes(DENIED)) break;
    text += new TextDecoder().decode(chunk);
    const at = text.indexOf(GRANTED);
    if (at >= 0) return messages.putBack(new TextEncoder().encode(text.slice(at + GRANTED.length)));
  }
  throw named("PasswordError", "the board refused the password");
}

function sink(socket, send) {
  return {
    async write(chunk) {
      if (socket.readyState !== WebSocket.OPEN) throw named("LinkError", "the WebSocket is closed");
      send(chunk);
      while (socket.bufferedAmount > HIGH_WATER && socket.readyState === WebSocket.OPEN) await sleep(POLL);
    },
    close: () => socket.close(),
    abort: () => socket.close(),
  };
}

/** WebREPL takes text frames as typed and binary ones as files. A character cut in two waits for its rest. */
function textFrames(socket) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true });
    if (text) socket.send(text);
  };
}

function binaryFrames(socket) {
  return (chunk) => socket.send(chunk);
}

async function within(promise, millis, message) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(named("TimeoutError", message)), millis);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
