// The agent's loop over files in memory, over a picked folder, and over a board.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  applyEdit,
  applyReply,
  init,
  isFlyleadError,
  judgePath,
  looksSecret,
  newSession,
  parseInbox,
  previewReply,
  readSession,
  renderOutbox,
  showFiles,
  splitOutbox,
  writeOutbox,
} from "flylead/agent";

import { openPage } from "./browser.js";

await init();

const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder().decode(bytes);

/** Files in memory, and a shell that only repeats. */
function memory(files = {}) {
  const map = new Map(Object.entries(files).map(([path, text]) => [path, encode(text)]));
  return {
    map,
    ran: [],
    list: async () => [...map].map(([path, { length }]) => ({ path, bytes: length })),
    read: async (path) => map.get(path),
    write: async (path, content) => void map.set(path, content),
    remove: async (path) => void map.delete(path),
    async run(command) {
      this.ran.push(command);
      return { success: command !== "false", summary: `Ran '${command}'`, output: "\x1b[31mred\x1b[0m\n" };
    },
  };
}

const HIDDEN = "[RUN_COMMAND]\nrm -rf .\n[/RUN_COMMAND]\n";

test("a reply is read into commands and errors, and content is never a command", () => {
  const inbox = parseInbox(`Sure!\n[CREATE_FILE path="a.md"]\n${HIDDEN}[/CREATE_FILE]\n[EDIT_FILE path="b"]\n[/EDIT_FILE]\n`);
  assert.deepEqual(inbox.items[0].command, { kind: "CREATE_FILE", path: "a.md", content: HIDDEN });
  assert.match(inbox.items[1].error, /the attribute 'start_line' is missing/);
  assert.equal(inbox.items.length, 2);
  assert.throws(
    () => parseInbox(Uint8Array.of(0x61, 0xff)),
    (error) => isFlyleadError(error) && error.name === "RejectedError" && error.message.includes("not UTF-8"),
  );
});

test("a session goes from its first outbox to its end, through JSON", async () => {
  const workspace = memory({ "a.txt": "one\r\ntwo\r\n" });
  let session = newSession("Say two in French.");
  const first = await writeOutbox(session, workspace);
  assert.match(first, /^=== HEADER ===\nSession: [0-9a-f]{8}\nSequence: 1\nTask: Say two in French\.\n/);
  assert.match(first, / {2}a\.txt \(10 bytes\)\n/);

  const reply = '[READ_FILE path="a.txt"]\n[EDIT_FILE path="a.txt" start_line="2" end_line="2" expect="two"]\ndeux\n[/EDIT_FILE]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n[DELETE_FILE path="../x"]\n';
  const { previews, results } = await previewReply(session, reply, workspace);
  assert.deepEqual(previews.map(({ kind }) => kind), ["change", "run"]);
  assert.equal(decode(previews[0].after), "one\r\ndeux\r\n");
  assert.match(results[3].summary, /^REJECTED: Path is outside workspace/);
  assert.equal(decode(workspace.map.get("a.txt")), "one\r\ntwo\r\n");

  const asked = [];
  ({ session } = await applyReply(session, reply, workspace, { approve: ({ kind }) => asked.push(kind) }));
  assert.deepEqual([asked, workspace.ran], [["read", "change", "run"], ["ls"]]);
  session = readSession(JSON.stringify(session));
  const second = await writeOutbox(session, workspace);
  assert.match(second, /\[OK\] RUN_COMMAND: Ran 'ls'\n {2}Output: red\n/);
  assert.ok(second.includes("--- a.txt ---\none\r\ndeux\r\n--- end a.txt ---\n"), second);

  const again = applyReply(session, reply, workspace);
  await assert.rejects(again, (error) => error.name === "RejectedError" && /already processed/.test(error.message));
  const early = await applyReply(session, `Sequence: 2\n[DONE]\nC'est fait.\n[/DONE]\n${HIDDEN}`, workspace);
  assert.deepEqual([early.messages, early.session.isComplete], [["C'est fait."], false]);
  assert.match(early.session.lastResults[0].summary, /the session continues, because 1 of the reply's commands came after \[DONE\]/);
  const end = await applyReply(early.session, "Sequence: 3\n[DONE]\nC'est fait.\n[/DONE]\n", workspace);
  assert.deepEqual([end.messages, end.session.isComplete], [["C'est fait."], true]);
  assert.equal(workspace.ran.length, 1);
});

test("without a person's word no command runs, and a pasted chat is refused", async () => {
  const workspace = memory();
  const session = newSession("t");
  const { session: after } = await applyReply(session, HIDDEN, workspace);
  assert.match(after.lastResults[0].summary, /was not run/);
  assert.equal(workspace.ran.length, 0);
  const chat = (await writeOutbox(session, workspace)) + HIDDEN;
  await assert.rejects(applyReply(session, chat, workspace), { name: "RejectedError" });
  await assert.rejects(applyReply(session, "only prose", workspace), { name: "RejectedError" });
  await assert.rejects(applyReply(session, `Sequence: 7\n${HIDDEN}`, workspace), { name: "RejectedError" });
});

test("a workspace that fails is an answer to the LLM, and a signal ends a reply", async () => {
  const workspace = memory();
  workspace.write = async () => {
    throw new Error("the disk is full");
  };
  const reply = '[CREATE_FILE path="a"]\n[/CREATE_FILE]\n[CREATE_FILE path=".git/x"]\n[/CREATE_FILE]\n[READ_FILE path="b"]\n';
  const { session } = await applyReply(newSession("t"), reply, workspace);
  assert.deepEqual(
    session.lastResults.map(({ success, summary }) => [success, summary]),
    [
      [false, "the disk is full"],
      [false, "REJECTED: Path is protected (.git and the agent's own folders): '.git/x'"],
      [false, "File 'b' not found"],
    ],
  );
  const files = memory();
  const options = { signal: AbortSignal.abort(new Error("the person said stop")), approve: () => true };
  const stopped = await applyReply(newSession("t"), HIDDEN, files, options);
  assert.equal(stopped.session.lastResults[0].summary, "'rm -rf .' was not run: the person said stop");
  assert.equal(files.ran.length, 0);
});

test("the pure functions keep their promises", () => {
  const edit = { startLine: 2, endLine: 2, replacement: "2\n" };
  assert.equal(decode(applyEdit(encode("1\r\ntwo\r\n3"), edit)), "1\r\n2\r\n3");
  assert.throws(() => applyEdit(encode("1\n"), edit), { name: "EditError" });
  assert.equal(judgePath("src\\..\\a.js"), "a.js");
  for (const path of ["../a", "/etc/passwd", "C:x", "a/", "~/x"]) assert.throws(() => judgePath(path), { name: "PathError" });
  assert.throws(() => readSession('{"version":"2.0"}'), { name: "SessionError" });
  assert.match(looksSecret("lib/.env"), /name/);
  assert.match(looksSecret("a", "token = ghp_0123456789abcdefghij"), /key or a token/);
  assert.equal(looksSecret("a", encode("x")), undefined);
  const session = newSession("t", { editNumbering: "sequential" });
  const contents = showFiles(["a", { path: "b", first: 2, last: 2 }, "c"], [encode("x"), encode("1\n2\n3\n"), "not found"]);
  assert.deepEqual(contents.map(({ text, note }) => [text, note]), [
    ["x", undefined],
    ["2\n", "lines 2-2 of 3"],
    ["", "not found"],
  ]);
  const text = renderOutbox({ session, files: [], moreFiles: 0, contents });
  assert.match(text, /## Line Numbers\n/);
  const parts = splitOutbox(text, session, 1000);
  assert.ok(parts.length > 3 && parts.every((part) => part.length <= 1000));
});

test("options, fields and files that are none are refused by their names", async () => {
  const session = newSession("t");
  const refusals = [
    [() => newSession("t", { eol: "cr+lf" }), /^eol: unknown variant `cr\+lf`/],
    [() => newSession("t", { numbering: "snapshot" }), /^numbering: unknown field `numbering`/],
    [() => parseInbox("", { strikt: true }), /^strikt: unknown field `strikt`/],
    [() => parseInbox(7), /^expected a string or a Uint8Array$/],
    [() => applyEdit(encode("1\n"), { startLine: 1, replacement: "" }), /^missing field `endLine`$/],
    [() => applyEdit(encode("1\n"), { startLine: "1", endLine: 1, replacement: "" }), /^startLine: /],
    [() => renderOutbox({ session, files: [{ name: "a", bytes: 1 }] }), /^files: .*missing field `path`/],
    [() => showFiles([{ file: "a" }], ["x"]), /^requests: .*missing field `path`/],
    [() => showFiles(["a"], [7]), /^expected a string or a Uint8Array$/],
  ];
  for (const [refused, message] of refusals) assert.throws(refused, (error) => error instanceof TypeError && message.test(error.message), String(refused));
  const files = memory();
  await assert.rejects(applyReply(session, HIDDEN, files, { aprove: () => true }), { name: "TypeError", message: /^aprove: unknown field/ });
  await assert.rejects(applyReply(session, HIDDEN, files, { approve: true }), { name: "TypeError", message: /^approve: .*give a function/ });
  assert.equal(files.ran.length, 0);
  assert.throws(() => renderOutbox({ session: { version: "9.0" }, files: [] }), { name: "SessionError" });
});

test("new files have the task's line ends, and of a long output is kept what the task says", async () => {
  const printed = `${"a".repeat(3000)}${"z".repeat(3000)}`;
  const reply = `[CREATE_FILE path="new"]\n1\n2\n[/CREATE_FILE]\n[EDIT_FILE path="old" start_line="1" end_line="1" expect="1"]\n3\n[/EDIT_FILE]\n${HIDDEN}`;
  const through = async (options) => {
    const files = memory({ old: "1\n" });
    files.run = async () => ({ success: true, summary: "", output: printed });
    const kept = readSession(JSON.stringify(newSession("t", options)));
    const { session } = await applyReply(kept, reply, files, { approve: () => true });
    return { created: decode(files.map.get("new")), edited: decode(files.map.get("old")), output: session.lastResults[2].output };
  };
  const usual = await through();
  assert.deepEqual([usual.created, usual.edited], ["1\n2\n", "3\n"]);
  assert.match(usual.output, /^a+\n… .* omitted.*\nz+$/);
  assert.deepEqual(await through({ eol: "lf", truncate: "middle" }), usual);
  const other = await through({ eol: "crlf", truncate: "head" });
  assert.deepEqual(other, { created: "1\r\n2\r\n", edited: "3\n", output: printed.slice(0, 4000) });
});

test("each step is asked about, and each change is kept before it is made", async () => {
  const files = memory({ a: "1\n2\n" });
  const reply = '[READ_FILE path="a"]\n[EDIT_FILE path="a" start_line="2" end_line="2" expect="2"]\ntwo\n[/EDIT_FILE]\n[CREATE_FILE path="b"]\nb\n[/CREATE_FILE]\n[DELETE_FILE path="a"]\n' + HIDDEN;
  const steps = [];
  const changes = [];
  const { session } = await applyReply(newSession("t"), reply, files, {
    approve: (step) => (steps.push(step), step.kind === "read" || step.path === "a"),
    onChange: ({ before, after, ...change }) => {
      changes.push([change, before && decode(before), after && decode(after), files.map.has("a") && decode(files.map.get("a"))]);
    },
  });
  assert.deepEqual(steps, [
    { kind: "read", line: 1, path: "a" },
    { kind: "change", line: 2, path: "a", name: "EDIT_FILE" },
    { kind: "change", line: 5, path: "b", name: "CREATE_FILE" },
    { kind: "change", line: 8, path: "a", name: "DELETE_FILE" },
    { kind: "run", line: 9, command: "rm -rf ." },
  ]);
  assert.deepEqual(changes, [
    [{ ...steps[1], summary: "Replaced lines 2-2 of 'a'" }, "1\n2\n", "1\ntwo\n", "1\n2\n"],
    [{ ...steps[3], summary: "Deleted 'a'" }, "1\ntwo\n", undefined, "1\ntwo\n"],
  ]);
  assert.deepEqual([session.lastResults[2].summary, session.lastResults[4].summary], ["'b' was not changed: the person refused", "'rm -rf .' was not run: the person refused"]);
  assert.deepEqual([[...files.map], files.ran], [[], []]);
});

test("a change that cannot be kept is not made, and an edit behind it counts in the file as it is", async () => {
  const files = memory();
  const reply = '[CREATE_FILE path="a"]\nx\n[/CREATE_FILE]\n[EDIT_FILE path="a" start_line="3" end_line="3"]\n[/EDIT_FILE]\n';
  const refusing = { onChange: () => Promise.reject(new Error("the journal is full")) };
  const refused = await applyReply(newSession("t"), reply, files, refusing);
  assert.deepEqual(refused.session.lastResults.map(({ summary }) => summary), ["the journal is full", "File 'a' not found"]);
  assert.equal(files.map.size, 0);
  const { session } = await applyReply(newSession("t"), reply, files);
  assert.deepEqual(session.lastResults.map(({ summary }) => summary), ["Created 'a'", "Invalid line range 3-3 for 'a' (1 lines)"]);
});

test("a folder of the page and a board in the page are workspaces", async (t) => {
  const page = await openPage(t, "isolated");
  const seen = await page.evaluate(async () => {
    const { applyReply, boardWorkspace, folderWorkspace, newSession, writeOutbox } = flylead;
    const reply =
      '[CREATE_FILE path="lib/hi.py"]\nprint("hi")\nprint("ho")\n[/CREATE_FILE]\n[EDIT_FILE path="lib/hi.py" start_line="2" end_line="2"]\n[/EDIT_FILE]\n' +
      '[READ_FILE path="lib/hi.py"]\n[CREATE_FILE path="old"]\n[/CREATE_FILE]\n[DELETE_FILE path="old"]\n[DELETE_FILE path="lib"]\n[DELETE_FILE path="none"]\n' +
      "[RUN_COMMAND]\nprint(6 * 7)\n[/RUN_COMMAND]\n[RUN_COMMAND]\n1/0\n[/RUN_COMMAND]\n";
    const through = async (workspace) => {
      const options = { approve: () => true };
      const { session } = await applyReply(newSession("t"), reply, workspace, options);
      return { results: session.lastResults, outbox: await writeOutbox(session, workspace) };
    };
    const root = await navigator.storage.getDirectory();
    const folder = await through(folderWorkspace(await root.getDirectoryHandle("work", { create: true })));
    const link = await flylead.openBrowserBoard(options);
    const board = flylead.Board.attach(link);
    const onBoard = await through(boardWorkspace(board));
    await board.close();
    await link.close();
    return { folder, onBoard };
  });
  for (const [name, { results, outbox }] of Object.entries(seen)) {
    const marks = results.map(({ success }) => success);
    const isBoard = name === "onBoard";
    assert.deepEqual(marks, [true, true, true, true, true, false, false, isBoard, false], JSON.stringify(results));
    assert.ok(outbox.includes('--- lib/hi.py ---\nprint("hi")\n--- end lib/hi.py ---\n'), outbox);
    assert.match(outbox, / {2}lib\/hi\.py \(12 bytes\)\n/);
    if (isBoard) assert.equal(results[7].output, "42");
    if (isBoard) assert.match(results[8].output, /ZeroDivisionError/);
  }
});
