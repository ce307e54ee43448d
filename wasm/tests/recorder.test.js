// Logs collected from a device in Node, and one in a page.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { init, isFlyleadError, Recorder } from "flylead/export";

import { openPage } from "./browser.js";
import { LOG, Logger } from "./logger.js";

await init();

const text = (bytes) => new TextDecoder().decode(bytes);

function attach(options) {
  const device = new Logger();
  return { device, recorder: Recorder.attach(device.link, options) };
}

test("an experiment is started, stopped and collected", async () => {
  const { device, recorder } = attach();
  const said = recorder.chatter.getReader();
  recorder.start("run001");
  assert.equal(text((await said.read()).value), "OK: START\r\n");
  recorder.stop();
  assert.equal(text((await said.read()).value), "OK: STOP\r\n");
  const log = await recorder.fetch("whole");
  assert.equal(text(log.bytes), LOG);
  assert.equal(log.integrity, "crc32");
  assert.equal(log.sha256, createHash("sha256").update(LOG).digest("hex"));
  assert.deepEqual(log.warnings, []);
  assert.deepEqual(device.heard, ["START run_id=run001", "STOP", "EXPORT run_id=whole"]);
  await recorder.close();
  assert.equal(device.isLocked(), false);
});

test("who iterates sees the same events as the core tells, in order", async () => {
  const { recorder } = attach();
  const kinds = [];
  let body = "";
  let total;
  const fetch = recorder.fetch("whole");
  for await (const event of fetch) {
    if (event.kind !== kinds.at(-1)) kinds.push(event.kind);
    if (event.kind === "begun") total = event.total;
    if (event.kind === "body") body += text(event.bytes);
  }
  assert.deepEqual(kinds, ["asked", "begun", "body", "chatter"]);
  assert.equal(total, LOG.length);
  assert.equal(body, LOG);
  assert.equal(text((await fetch).bytes), LOG);
  assert.equal(recorder.phase, "idle");
  await recorder.close();
});

test("rows between BEGIN and END are a log, and noise before a header is none", async () => {
  const { recorder } = attach();
  const marked = await recorder.fetch("marked");
  assert.deepEqual([text(marked.bytes), marked.integrity], [LOG, "markers"]);
  const noisy = await recorder.fetch("noisy");
  assert.deepEqual([text(noisy.bytes), noisy.integrity], [LOG, "lengthAndTail"]);
  await recorder.close();
});

test("a log that is not kept has all its bytes in the events, and is verified all the same", async () => {
  const { recorder } = attach({ keepLog: false });
  const fetch = recorder.fetch("whole");
  let body = "";
  for await (const event of fetch) if (event.kind === "body") body += text(event.bytes);
  const { bytes, integrity } = await fetch;
  assert.deepEqual([body, bytes.length, integrity], [LOG, 0, "crc32"]);
  await recorder.close();
});

test("what is not whole is no log, and the error says what to do", async () => {
  const { recorder } = attach({ sizeLimit: 1_000_000, idleTimeout: 300 });
  const cases = {
    damaged: ["checksum_mismatch", "retry_export", true],
    short: ["short_transfer", "retry_export", true],
    huge: ["too_large", "raise_limit", false],
    running: ["device_error", "send_stop", false],
  };
  for (const [run, [code, hint, retryable]] of Object.entries(cases)) {
    const error = await recorder.fetch(run).then(undefined, (error) => error);
    assert.ok(isFlyleadError(error) && error instanceof Error);
    assert.deepEqual([run, error.name, error.code, error.hint, error.retryable], [run, "ExportError", code, hint, retryable]);
  }
  assert.equal(text((await recorder.fetch("whole")).bytes), LOG);
  await recorder.close();
});

test("one log at a time; one that is cancelled makes room for the next", async () => {
  const { device, recorder } = attach();
  const silent = recorder.fetch("silent");
  for await (const { kind } of silent) if (kind === "body") break;
  assert.equal(recorder.phase, "receiving");
  assert.throws(() => recorder.fetch("whole"), { name: "BusyError" });
  assert.throws(() => recorder.stop(), { name: "BusyError" });
  silent.cancel();
  await assert.rejects(silent.done, { name: "CancelledError" });
  silent.cancel();
  assert.equal(text((await recorder.fetch("whole")).bytes), LOG);
  assert.ok(!device.heard.includes("STOP"));
  await recorder.close();
});

test("an answer to a request of an earlier conversation is not taken for the log of another run", async () => {
  const { device, recorder } = attach();
  const fetch = recorder.fetch("late");
  for await (const event of fetch) if (event.kind === "asked") break;
  fetch.cancel();
  await assert.rejects(fetch.done, { name: "CancelledError" });
  const { unanswered } = recorder;
  assert.deepEqual(unanswered, ["late"]);
  await recorder.close();

  const next = (requests) => Recorder.attach(device.link, { unanswered: requests });
  const warned = next(unanswered.map((runId) => ({ runId, age: 1000 })));
  await assert.rejects(warned.fetch("next").done, (error) => error.name === "ExportError" && error.doubts.includes("late"));
  assert.match(text((await warned.fetch("next")).bytes), /0,next/, "asked again, it is certain");
  assert.deepEqual(warned.unanswered, ["next"], "one of three requests was never answered");
  await warned.close();

  const old = next([{ runId: "late", age: 600_001 }]);
  assert.ok((await old.fetch("whole")).bytes.length, "a request of ten minutes ago is not answered any more");
  await old.close();
  assert.throws(() => next([{ runId: "../x" }]), TypeError);
  assert.throws(() => next([{ runId: "late", age: -1 }]), TypeError);
});

test("hostile run ids are refused and nothing is sent", async () => {
  const { device, recorder } = attach();
  for (const run of ["", "..", "../x", "a\nSTOP", "a b", "CON", "-rf", "x".repeat(65), undefined, 5]) {
    assert.throws(() => recorder.start(run), TypeError, String(run));
    assert.throws(() => recorder.fetch(run), TypeError, String(run));
  }
  assert.throws(() => Recorder.attach(device.link, { idleTimeout: -1 }), TypeError);
  recorder.stop();
  for await (const _ of recorder.chatter) break;
  assert.deepEqual(device.heard, ["STOP"]);
  await recorder.close();
});

test("a device that is pulled out ends the fetch and the conversation", async () => {
  const { device, recorder } = attach();
  const fetch = recorder.fetch("silent");
  for await (const { kind } of fetch) if (kind === "body") break;
  device.unplug();
  await assert.rejects(fetch.done, { name: "ExportError", code: "port_lost", hint: "reconnect" });
  assert.equal((await recorder.lost).name, "LostError");
  assert.equal(recorder.phase, "closed");
  assert.equal(device.isLocked(), false);
  assert.throws(() => recorder.start("run001"), { name: "LostError" });
});

test("closing ends a fetch, and nobody has to look at it", async () => {
  const { device, recorder } = attach();
  const fetch = recorder.fetch("silent");
  const ended = assert.rejects(fetch.done, { name: "ClosedError" });
  await recorder.close();
  await ended;
  assert.equal(await recorder.lost, undefined);
  assert.equal(device.isLocked(), false);
  assert.throws(() => recorder.fetch("whole"), { name: "ClosedError" });
});

test("silence inside a log ends it after its time", async () => {
  const { recorder } = attach({ idleTimeout: 50 });
  await assert.rejects(recorder.fetch("silent").done, { code: "short_transfer" });
  await recorder.close();
});

test("a page collects a log too", async (t) => {
  const page = await openPage(t, "plain");
  const seen = await page.evaluate(async () => {
    const { Logger } = await import("./tests/logger.js");
    const recorder = flylead.Recorder.attach(new Logger().link, { requireChecksum: true });
    const unproven = await refusal(recorder.fetch("noisy").done);
    const { bytes, integrity } = await recorder.fetch("whole");
    await recorder.close();
    return { text: new TextDecoder().decode(bytes), integrity, unproven: unproven.name };
  });
  assert.deepEqual(seen, { text: LOG, integrity: "crc32", unproven: "ExportError" });
});
