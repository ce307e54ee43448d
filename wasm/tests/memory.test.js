// The memory of a board like a Pico or an ESP32, in Node: what fits into a real one fits, and what does not is a MemoryError.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Board, init, openBrowserBoard } from "../js/index.js";

/** Objects of 36 bytes each: two blocks, and a place in the list. */
const FILL = `
def fill():
    a = []
    try:
        while True:
            a.append(str(len(a)))
    except MemoryError:
        n = len(a)
        a = None
        return n
`;
const GARBAGE = "for i in range(100_000): s = '%d %d' % (i, i)";

before(() => init());

for (const [machine, free, objects] of [["pico", 241_552, [6_000, 7_500]], ["esp32", 160_000, [3_500, 5_000]]]) {
  test(`a board like a ${machine} has the memory of one`, async (t) => {
    const link = await openBrowserBoard({ machine });
    after(() => link.close());
    const board = Board.attach(link);
    const exec = async (program) => (await board.exec(program)).stdout.trim();
    const number = async (program) => Number(await exec(program));

    await exec(`import gc\n${FILL}`);
    const atFirst = await number("print(gc.mem_free())");
    assert.ok(atFirst > free - 8_000 && atFirst <= free, `${atFirst} bytes are free`);

    await t.test("objects in use end with a MemoryError, and the board goes on", async () => {
      for (const before of ["pass", GARBAGE]) {
        await exec(before);
        const count = await number("print(fill())");
        assert.ok(count > objects[0] && count < objects[1], `${count} objects after ${before}`);
      }
      const left = await number("print(gc.mem_free())");
      assert.ok(left > atFirst - 8_000, `${left} bytes are free again`);
    });

    await t.test("garbage is no memory in use, beside much that is in use", async () => {
      await exec(`kept = bytearray(${free - 60_000})\n${GARBAGE}`);
      const left = await number("print(gc.mem_free())");
      assert.ok(left > 30_000 && left < 60_000, `${left} bytes are free beside it`);
      await exec("del kept");
    });

    await t.test("one object is no larger than what is free", async () => {
      await assert.rejects(board.exec(`b = bytearray(${free})`), /MemoryError/);
      await exec(`b = bytearray(${free - 30_000})\ndel b`);
    });

    await t.test("what is used and what is free are the heap", async () => {
      const heap = await number("print(gc.mem_free() + gc.mem_alloc())");
      const whole = machine === "pico" ? 245_696 : 166_000;
      assert.ok(Math.abs(heap - whole) < 100, `${heap} bytes`);
    });

    await t.test("a reset gives everything back", async () => {
      await exec("kept = bytearray(100_000)");
      await board.softReset();
      const left = await number("import gc\nprint(gc.mem_free())");
      assert.ok(left > atFirst - 8_000, `${left} bytes are free`);
    });
  });
}

test("a board like no machine has as much memory as the browser grants", async () => {
  const link = await openBrowserBoard();
  after(() => link.close());
  const board = Board.attach(link);
  await board.exec("b = bytearray(5_000_000)");
});
