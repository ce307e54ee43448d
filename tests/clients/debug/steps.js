// Steps of an editor that several tests take. FLYLEAD names the command, BOARD the board's port, FOLDER one for programs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

export const { BOARD, FOLDER } = process.env;

export function written(name, text) {
  const file = path.join(FOLDER, name);
  fs.writeFileSync(file, text);
  return file;
}

export function command(...words) {
  const { status, stderr } = spawnSync(process.env.FLYLEAD, ["--port", BOARD, ...words], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** Begins as Visual Studio Code does: launch, wait for `initialized`, set breakpoints, say that this was all. */
export async function launch(client, program, { lines = {}, filters = [], filterOptions = [], functions = [], ...more } = {}) {
  await client.initializeRequest();
  const initialized = client.waitForEvent("initialized", 100_000);
  const launched = client.launchRequest({ program, ...more });
  await initialized;
  const answers = [];
  for (const [file, breakpoints] of Object.entries(lines)) {
    const answer = await client.setBreakpointsRequest({ source: { path: file }, breakpoints });
    answers.push(...answer.body.breakpoints);
  }
  await client.setFunctionBreakpointsRequest({ breakpoints: functions });
  await client.setExceptionBreakpointsRequest({ filters, filterOptions });
  const stopped = next(client);
  await client.configurationDoneRequest();
  await launched;
  return { answers, stopped: await stopped };
}

/** The next stop, or the end. */
export function next(client) {
  return new Promise((resolve) => {
    client.once("stopped", resolve);
    client.once("terminated", resolve);
  });
}

export async function go(client, command, args = {}) {
  const stopped = next(client);
  await client.customRequest(command, { threadId: 1, ...args });
  return stopped;
}

export async function stack(client) {
  const { body } = await client.stackTraceRequest({ threadId: 1 });
  return body.stackFrames;
}

export const shown = (frames) => frames.map((frame) => `${frame.name}:${frame.line}`).join(" ");

export async function variables(client, frame, scope = "Locals") {
  const { body } = await client.scopesRequest({ frameId: frame.id });
  const { variablesReference } = body.scopes.find((one) => one.name === scope);
  const answer = await client.variablesRequest({ variablesReference });
  return { variablesReference, all: answer.body.variables };
}

export const listed = ({ all }) => all.map((one) => `${one.name}=${one.value}`).join(" ");

/** Ends a session: nothing that was said may be wrong, and the debugger ends by itself. */
export async function over(client) {
  await client.disconnectRequest();
  assert.deepEqual(client.faults, []);
  assert.ok(client.messages.length > 5);
  if (client.ended) assert.equal(await client.ended, 0);
}
