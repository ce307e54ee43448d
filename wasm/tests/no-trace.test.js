// No method leaves anything on a board but its request: names, directory, search path, modules and memory. On the board of a
// page, in Node.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Board, init, openBrowserBoard } from "flylead";

await init();

/** A program that uses no name of the board's user and leaves none. */
const unseen = (...lines) => ["def __seen__():", "global __seen__", "del __seen__", "from builtins import print", ...lines].join("\n ") + "\n__seen__()";

// Where this module is written in Python, as on the board of a page, it stays in memory once somebody has worked with files.
const STATE = unseen(
  "import builtins, sys, os, binascii",
  "print(sorted((k, builtins.repr(v)) for k, v in builtins.globals().items()))",
  "print(os.getcwd(), sys.path, sorted(sys.modules))",
);
const MEMORY = unseen("import gc", "def deep(n): return n and deep(n - 1)", "deep(60)", "gc.collect()", "print(gc.mem_free())");
/** Bytes of some of the collector's blocks: what it takes for a pointer differs with what ran before. */
const NOISE = 384;

const BOARDS = {
  "the board of a page": {
    start: async () => {
      const link = await openBrowserBoard();
      return { link, stop: () => link.close() };
    },
  },
};

for (const [kind, { start }] of Object.entries(BOARDS)) {
  test(`no method leaves a name, a directory or memory on ${kind}`, async () => {
    const { link, stop } = await start();
    const board = Board.attach(link);
    const said = async (source) => (await board.exec(source)).stdout;
    const free = async () => {
      // The page's port collects when a program has ended.
      await said(MEMORY);
      return Number(await said(MEMORY));
    };
    const { files } = board;
    const large = new Uint8Array(10_000).map((_, index) => index * index);
    const methods = {
      exec: () => board.exec("pass"),
      run: () => board.run("pass").done,
      capabilities: () => files.capabilities(),
      makeDirectory: () => files.makeDirectory("trace"),
      write: () => files.write("trace/small", "text"),
      "write, large": () => files.write("trace/large", large),
      writeTree: () => files.writeTree([{ path: "trace/in" }, { path: "trace/in/a", data: "a" }]),
      append: () => files.append("trace/small", "more"),
      list: () => files.list("trace"),
      tree: () => files.tree("trace", { hashes: true }),
      stat: () => files.stat("trace/small"),
      read: () => files.read("trace/small"),
      "read, large": () => files.read("trace/large"),
      "read, refused": () => assert.rejects(async () => files.read("none"), { name: "FileError" }),
      sha256: () => files.sha256("trace/large"),
      space: () => files.space(),
      rename: () => files.rename("trace/small", "trace/other"),
      touch: () => files.touch("trace/touched"),
      remove: () => files.remove("trace/other"),
      "remove, tree": () => files.remove("trace", { recursive: true }),
    };
    const before = await said(STATE);
    for (const turn of [0, 1]) {
      for (const [name, method] of Object.entries(methods)) {
        const had = await free();
        await method();
        assert.equal(await said(STATE), before, name);
        // The first time, what the board keeps forever of each new name is in it.
        if (turn === 0) continue;
        let left = had - (await free());
        for (let look = 0; look < 4 && left > NOISE; look++) left = Math.min(left, had - (await free()));
        assert.ok(left <= NOISE, `${name}: ${left} bytes`);
      }
    }
    await board.close();
    await stop();
  });
}
