// A board's files: on the browser's board, which streams on an isolated page and goes the way of text on a plain one, and
// refusals on a board that never answers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Board, init, isFlyleadError } from "flylead";

import { openPage } from "./browser.js";
import { Device } from "./device.js";

await init();

for (const [kind, where] of [
  ["isolated", "an isolated page"],
  ["plain", "a plain page"],
]) {
  test(`on ${where} files come back byte for byte`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      const board = flylead.Board.attach(link);
      const noise = Uint8Array.from({ length: 20_000 }, (_, i) => (i * i * 31 + (i >> 3)) & 0xff);
      const contents = {
        "/empty": new Uint8Array(),
        "/all bytes.bin": Uint8Array.from({ length: 256 }, (_, i) => i),
        "/noise.bin": noise,
        "/façade/é ü.txt": new TextEncoder().encode("Prénom : Zoë\r\n\x03\x04'\"\\"),
        "/text.py": new TextEncoder().encode("print('the same line again')\n".repeat(700)),
      };
      await board.files.makeDirectory("/façade", { parents: true });
      const results = {};
      for (const [path, bytes] of Object.entries(contents)) {
        const progress = [];
        const writing = board.files.write(path, bytes);
        for await (const news of writing) progress.push(news);
        const written = await writing;
        const back = await board.files.read(path);
        const same = back.length === bytes.length && back.every((byte, i) => byte === bytes[i]);
        results[path] = { written, same, last: progress.at(-1), size: (await board.files.stat(path)).size };
      }
      const { readsBinary } = await board.files.capabilities();
      await board.close();
      const kept = [...link.files().keys()].filter((path) => path in contents);
      await link.close();
      return { results, readsBinary, kept, restarts: link.restarts };
    });
    const sizes = { "/empty": 0, "/all bytes.bin": 256, "/noise.bin": 20_000, "/façade/é ü.txt": 21, "/text.py": 20_300 };
    assert.deepEqual(Object.keys(seen.results), Object.keys(sizes));
    for (const [path, { written, same, last, size }] of Object.entries(seen.results)) {
      assert.ok(same, `${path} came back changed`);
      assert.equal(written.bytes, sizes[path]);
      assert.equal(size, sizes[path]);
      const methods = kind === "isolated" ? ["stream", "streamDeflate"] : ["literal", "hex"];
      assert.ok(methods.includes(written.method), `${path} went as ${written.method}`);
      if (size > 0) assert.deepEqual([last.done, last.total], [size, size]);
    }
    assert.equal(seen.readsBinary, kind === "isolated");
    assert.deepEqual(seen.kept.sort(), Object.keys(sizes).sort());
    assert.equal(seen.restarts, 0);
  });

  test(`on ${where} a cancelled write leaves the old file and a board that answers`, async (t) => {
    const page = await openPage(t, kind);
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      const board = flylead.Board.attach(link);
      await board.files.write("/kept.txt", "old");
      const writing = board.files.write("/kept.txt", new Uint8Array(500_000).map((_, i) => i * i));
      let error;
      try {
        for await (const { done } of writing) if (done > 0) writing.cancel();
      } catch (thrown) {
        error = thrown.name;
      }
      const again = await writing.done.catch((error) => error.name);
      const text = new TextDecoder().decode(await board.files.read("/kept.txt"));
      return { error, again, text, names: (await board.files.list("/")).map(({ name }) => name).filter((name) => name.includes("kept")), restarts: link.restarts };
    });
    assert.deepEqual(seen, { error: "CancelledError", again: "CancelledError", text: "old", names: ["kept.txt"], restarts: 0 });
  });
}

test("a tree goes in one transfer, and what cannot be written is named", async (t) => {
  const page = await openPage(t, "plain");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const { files } = board;
    const tree = [{ path: "/lib" }, { path: "/lib/a.py", data: "a = 1\n" }, { path: "/lib/deep" }, { path: "/lib/deep/b", data: new Uint8Array(3000) }];
    const progress = [];
    const writing = files.writeTree(tree);
    for await (const news of writing) progress.push(news);
    const { bytes } = await writing;
    const again = await files.writeTree(tree);
    const there = await files.tree("/lib");
    const fault = await files.writeTree([{ path: "/lib/c", data: "c" }, { path: "/no/such", data: "d" }]).done.catch(({ name, kind, path }) => ({ name, kind, path }));
    const before = new TextDecoder().decode(await files.read("/lib/c"));
    const refused = [];
    for (const wrong of [undefined, [{ data: "a" }], ["a"]]) refused.push(await files.writeTree(wrong).done.catch((error) => error.name));
    return { bytes, again: again.bytes, last: progress.at(-1), names: there.map(({ name }) => name), fault, before, refused };
  });
  assert.deepEqual([seen.bytes, seen.again], [3006, 3006]);
  assert.equal(seen.last.total, 3006);
  assert.deepEqual(seen.names, ["a.py", "deep", "deep/b"]);
  assert.deepEqual(seen.fault, { name: "FileError", kind: "notFound", path: "/no/such" });
  assert.equal(seen.before, "c");
  assert.deepEqual(seen.refused, ["TypeError", "TypeError", "TypeError"]);
});

test("a large file comes from the browser's board whole", async (t) => {
  const page = await openPage(t, "plain");
  const isSame = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const noise = Uint8Array.from({ length: 500_000 }, (_, i) => (i * i * 31 + (i >> 3)) & 0xff);
    await board.files.write("/noise.bin", noise);
    const back = await board.files.read("/noise.bin");
    return back.length === noise.length && back.every((byte, i) => byte === noise[i]);
  });
  assert.ok(isSame);
});

test("directories are made, listed, renamed and removed", async (t) => {
  const page = await openPage(t, "plain");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const { files } = board;
    await files.makeDirectory("/lib/deep", { parents: true });
    await files.write("/lib/deep/a b.py", "a = 1\n");
    await files.append("/lib/deep/a b.py", "b = 2\n");
    await files.touch("/lib/é");
    await files.rename("/lib/é", "/lib/été");
    const shown = (entries) => entries.map(({ name, kind, size }) => [name, kind, size]);
    const list = shown(await files.list("/lib"));
    const tree = await files.tree("/lib", { hashes: true });
    const text = new TextDecoder().decode(await files.read("/lib/deep/a b.py"));
    const hash = await files.sha256("/lib/deep/a b.py");
    const notEmpty = await files.remove("/lib").catch((error) => error.name);
    await files.remove("/lib", { recursive: true });
    const gone = (await files.list("/")).every(({ name }) => name !== "lib");
    return { list, tree: shown(tree), hashes: tree.map(({ sha256 }) => sha256), text, hash, notEmpty, gone, same: files === board.files };
  });
  assert.deepEqual(seen.list, [
    ["deep", "directory", 0],
    ["été", "file", 0],
  ]);
  assert.deepEqual(seen.tree, [
    ["deep", "directory", 0],
    ["deep/a b.py", "file", 12],
    ["été", "file", 0],
  ]);
  assert.equal(seen.text, "a = 1\nb = 2\n");
  assert.deepEqual(seen.hashes, [undefined, seen.hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]);
  assert.deepEqual([seen.notEmpty, seen.gone, seen.same], ["FileError", true, true]);
});

test("what is not there is refused by kind and path, and the board goes on", async (t) => {
  const page = await openPage(t, "plain");
  const seen = await page.evaluate(async () => {
    const board = flylead.Board.attach(await flylead.openBrowserBoard(options));
    const { name, kind, path, message } = await board.files.read("/no such.txt").done.catch((error) => error);
    const exists = await board.files.makeDirectory("/lib").then(() => board.files.makeDirectory("/lib").catch((error) => error.kind));
    return { error: { name, kind, path, message }, exists, after: (await board.exec("print('on')")).stdout };
  });
  assert.deepEqual(seen, {
    error: {
      name: "FileError",
      kind: "notFound",
      path: "/no such.txt",
      message: "/no such.txt: no such file or directory on the board",
    },
    exists: "exists",
    after: "on\n",
  });
});

test("while a request is under way the board is busy, and Ctrl-C ends it", async () => {
  const board = Board.attach(new Device().link);
  const modes = [];
  board.onMode((mode) => modes.push(mode));
  const listing = board.files.list("/");
  assert.equal(board.mode, "running");
  await assert.rejects(board.exec("print 1"), { name: "BusyError" });
  await assert.rejects(board.files.stat("/a"), { name: "BusyError" });
  assert.throws(() => board.send("x"), { name: "BusyError" });
  // The device runs no Python: what it does not know hangs.
  setTimeout(() => board.interrupt(), 50);
  const error = await listing.catch((error) => error);
  assert.equal(error.name, "CancelledError");
  assert.ok(isFlyleadError(error));
  assert.equal((await board.exec("print 1")).stdout, "1");
  assert.deepEqual(modes, ["running", "raw", "running", "raw"]);
  await board.close();
});

test("a board that is pulled out, or closed, ends its transfers", async () => {
  const device = new Device();
  const pulled = Board.attach(device.link);
  const reading = pulled.files.read("/a");
  setTimeout(() => device.fail("pulled out"), 50);
  const error = await reading.done.catch((error) => error);
  assert.deepEqual([error.name, error.cause.message], ["LostError", "pulled out"]);
  await assert.rejects(pulled.files.list(), { name: "LostError" });

  const closed = Board.attach(new Device().link);
  const writing = closed.files.write("/a", "b");
  await closed.close();
  await assert.rejects(writing.done, { name: "ClosedError" });
  await assert.rejects(closed.files.write("/a", "b").done, { name: "ClosedError" });
});

test("wrong arguments reject with a TypeError and send nothing", async () => {
  const device = new Device();
  const board = Board.attach(device.link);
  await assert.rejects(board.files.write("/a", 42).done, TypeError);
  await assert.rejects(board.files.stat(), TypeError);
  await board.close();
  assert.deepEqual(device.received, []);
});
