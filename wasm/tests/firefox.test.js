// The package in the Firefox that people have: what a page does with it, from the first program to the last file.

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./browser.js";

test("in Firefox a page runs programs, stops them, moves files, evaluates Zylisp and reads an LLM's reply", async (t) => {
  const page = await openPage(t, "isolated", "firefox");
  assert.match(await page.evaluate(() => navigator.userAgent), /Firefox/);

  await t.test("the board in the page runs a program, and names the line that failed", async () => {
    const seen = await page.evaluate(async () => {
      const link = await flylead.openBrowserBoard(options);
      globalThis.board = flylead.Board.attach(link);
      globalThis.link = link;
      const { stdout } = await board.exec("x = 6\nprint(x * 7)");
      const error = await refusal(board.exec("print('so far')\ndef f():\n  1/0\nf()"));
      return { isolated: link.isolated, stdout, error };
    });
    assert.deepEqual([seen.isolated, seen.stdout], [true, "42\n"]);
    assert.equal(seen.error.message, "ZeroDivisionError: divide by zero");
    assert.equal(seen.error.stdout, "so far\n");
    assert.deepEqual(
      seen.error.traceback.frames.map(({ line, function: name }) => [line, name]),
      [
        [4, "<module>"],
        [3, "f"],
      ],
    );
  });

  await t.test("output comes while the program runs, and Ctrl-C stops it without a restart", async () => {
    const seen = await page.evaluate(async () => {
      await board.exec("kept = 'still here'");
      const run = board.run("import time\nn = 0\nwhile True:\n  print('tick', n)\n  n += 1\n  time.sleep_ms(20)");
      let output = "";
      for await (const text of run) {
        output += text;
        if (output.includes("tick 3")) board.interrupt();
      }
      const { traceback } = await run.done;
      return { output, exception: traceback.exception, after: (await board.exec("print(kept)")).stdout, restarts: link.restarts };
    });
    assert.match(seen.output, /^tick 0\ntick 1\ntick 2\ntick 3\n/);
    assert.deepEqual([seen.exception, seen.after, seen.restarts], ["KeyboardInterrupt", "still here\n", 0]);
  });

  await t.test("a file goes up and comes back with equal hashes", async () => {
    const seen = await page.evaluate(async () => {
      const content = Uint8Array.from({ length: 20_000 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255);
      const hex = async (bytes) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      const written = await board.files.write("/data.bin", content);
      const back = await board.files.read("/data.bin");
      return { bytes: written.bytes, hashes: [await hex(content), await hex(back), await board.files.sha256("/data.bin")] };
    });
    assert.equal(seen.bytes, 20_000);
    assert.equal(new Set(seen.hashes).size, 1, seen.hashes.join(" "));
  });

  await t.test("the locks are open when the board is let go", async () => {
    const locked = await page.evaluate(async () => {
      await board.close();
      const locked = link.readable.locked || link.writable.locked;
      await link.close();
      return locked;
    });
    assert.equal(locked, false);
  });

  await t.test("Zylisp evaluates, prints while it does, and is interrupted", async () => {
    const seen = await page.evaluate(async () => {
      const zylisp = flylead.Zylisp.attach(flylead.openServer());
      await zylisp.eval("(define square (lambda (n) (* n n)))");
      const evaluation = zylisp.eval('(println "squaring") (square 12)');
      let output = "";
      for await (const text of evaluation) output += text;
      const { value } = await evaluation;
      const forever = zylisp.eval("(define f (lambda () (f))) (f)");
      setTimeout(() => forever.cancel(), 20);
      const { kind } = await forever;
      await zylisp.close();
      return { output, value, kind };
    });
    assert.deepEqual(seen, { output: "squaring\n", value: 144, kind: "interrupted" });
  });

  await t.test("a reply is read into commands, and content is never one", async () => {
    const items = await page.evaluate(() => {
      const hidden = "[RUN_COMMAND]\nrm -rf .\n[/RUN_COMMAND]\n";
      return flylead.parseInbox(`Sure!\n[CREATE_FILE path="a.md"]\n${hidden}[/CREATE_FILE]\n[RUN_COMMAND]\nls\n[/RUN_COMMAND]\n`).items;
    });
    assert.deepEqual(
      items.map(({ command }) => [command?.kind, command?.path ?? command?.command]),
      [
        ["CREATE_FILE", "a.md"],
        ["RUN_COMMAND", "ls"],
      ],
    );
  });
});
