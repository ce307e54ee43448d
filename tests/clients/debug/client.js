// Visual Studio Code's own client for tests of debug adapters, which holds every message against the protocol's schema.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";

import { DebugClient } from "@vscode/debugadapter-testsupport";
import Ajv from "ajv";

// debugAdapterProtocol.json of microsoft/debug-adapter-protocol at commit e34479c (2026-06-22), MIT license.
const schema = JSON.parse(fs.readFileSync(new URL("debugAdapterProtocol.json", import.meta.url), "utf8"));
delete schema.$schema;
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, "dap");

function definition(message) {
  const upper = (name) => name[0].toUpperCase() + name.slice(1);
  if (message.type === "event") return `${upper(message.event)}Event`;
  return message.success ? `${upper(message.command)}Response` : "ErrorResponse";
}

function faults(message) {
  const name = definition(message);
  if (!schema.definitions[name]) return [`the protocol has no ${name}`];
  const validate = ajv.getSchema(`dap#/definitions/${name}`);
  return validate(message) ? [] : validate.errors.map((error) => `${name}: ${error.instancePath} ${error.message}`);
}

/** A client that remembers all that it was sent, and what is wrong with it. */
export class Client extends DebugClient {
  messages = [];
  faults = [];

  constructor() {
    super("unused", "unused", "flylead");
    this.defaultTimeout = 100_000;
  }

  dispatch(body) {
    const message = JSON.parse(body);
    this.messages.push(message);
    this.faults.push(...faults(message));
    super.dispatch(body);
  }

  /** Returns the output of the program and the debugger, by category. */
  output(category) {
    const told = this.messages.filter((one) => one.event === "output" && one.body.category === category);
    return told.map((one) => one.body.output).join("");
  }
}

/** A debugger that was started for this client, and talks to it on stdin and stdout. */
export function started(board) {
  const child = spawn(process.env.FLYLEAD, ["--port", board, "debug", "--dap"], { stdio: ["pipe", "pipe", "inherit"] });
  const client = new Client();
  client.connect(child.stdout, child.stdin);
  client.ended = new Promise((resolve) => child.on("exit", resolve));
  client.close = () => child.stdin.end();
  return client;
}

const children = new Set();

/** Ends the debuggers that a test left running, so that the next test has the board. */
export async function stopLeft() {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
  children.clear();
}

/** A debugger that serves clients on an address: of any program, or of the one that it runs. */
export async function serving(board, ...words) {
  const child = spawn(process.env.FLYLEAD, ["--port", board, "debug", "--dap", "127.0.0.1:0", ...words], { stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  const printed = { text: "" };
  child.stdout.on("data", (chunk) => (printed.text += chunk));
  let said = "";
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk;
    const port = / at 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port) return { child: shown(child), port: Number(port), printed };
  }
  throw new Error(said);
}

/** Shows further errors of a child beside the tests' own. */
function shown(child) {
  child.stderr.pipe(process.stderr);
  return child;
}

/** A client of a debugger at a port of this computer. */
export function connected(port) {
  const client = new Client();
  const socket = net.connect(port, "127.0.0.1");
  client.connect(socket, socket);
  client.left = new Promise((resolve) => socket.once("close", resolve));
  client.vanish = () => socket.destroy();
  return client;
}
