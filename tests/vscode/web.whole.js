/** VS Code for the Web with a board on USB: nothing but a browser, and an extension in it. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBoard } from "../browser/board.js";
import { startWebEditor } from "./web.js";

describe("a day in VS Code for the Web", () => {
  let board, editor, page;
  before(async () => {
    board = await startBoard({ rawPaste: true });
    editor = await startWebEditor(board.path);
    page = editor.page;
  });
  after(async () => {
    await editor?.close();
    await board?.stop();
  });

  test("the first program runs in three clicks", async () => {
    await editor.view("MicroPython");
    await page.getByRole("treeitem", { name: /^Raspberry Pi/ }).hover();
    await editor.press("New Python File");
    await editor.press("Run on Board");
    await editor.printed("Hello from");
    assert.equal(editor.steps, 3);
    await editor.shot("web-run");
  });

  test("Stop ends a program, and the next one runs", async () => {
    await run('import time\nprint("going", "round")\nwhile True:\n    time.sleep(0.1)\n', "going round");
    await editor.board(/^Raspberry Pi/).getByText("runs Untitled-1").waitFor();
    await editor.press("Stop the Program");
    await editor.printed("KeyboardInterrupt");
    await editor.board(/^Raspberry Pi/).getByText("in use").waitFor();
    await run('print("I am on", "the board")\n', "I am on the board");
  });

  test("the line of a mistake is marked", async () => {
    await run("def half(n):\n    return n / 0\n\nhalf(3)\n", "ZeroDivisionError");
    await page.locator(".editor-instance .squiggly-error").first().waitFor();
  });

  test("a program is answered that asks", async () => {
    await run('print("Good day,", input("Who? "))\n', "Who?");
    await editor.intoTerminal();
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await editor.printed("Good day, Ada");
  });

  test("a file is made on the board, written, read by a program, renamed and deleted", async () => {
    await editor.boardFile("flash").click({ button: "right" });
    await editor.choose("New File on the Board…");
    await editor.answer("word.py");
    await page.getByRole("tab", { name: "word.py" }).waitFor();
    await editor.save("WORD = 'kept on the board'\n");
    await editor.shot("web-files");
    await editor.first();
    await run("print(open('/flash/word.py').read().upper())\n", "KEPT ON THE BOARD");
    await editor.boardFile("flash").click();
    await editor.menu(editor.boardFile("word.py"), "Rename…", page.locator(".quick-input-widget:visible"));
    await editor.answer("words.py");
    const agree = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    await editor.menu(editor.boardFile("words.py"), "Delete", agree);
    await agree.click();
    await editor.boardFile("words.py").waitFor({ state: "detached" });
  });

  test("the prompt is a terminal", async () => {
    await editor.command("Flylead: Open the Board's Prompt");
    await page.locator(".part.panel").getByText("Board Raspberry Pi").first().waitFor();
    await editor.intoTerminal();
    await page.keyboard.press("Enter");
    await editor.printed(">>>");
    await page.keyboard.type("print(6 * 7)");
    await page.keyboard.press("Enter");
    await editor.printed("42");
  });

  test("the debugger stops at a breakpoint, shows variables and goes on", async () => {
    await editor.write("def add(a, b):\n    total = a + b\n    return total\n\nprint('the sum is', add(20, 22))\n");
    await page.locator(".editor-instance .view-line").nth(1).click();
    await page.keyboard.press("F9");
    await editor.command("Flylead: Debug on Board");
    await page.getByRole("treeitem", { name: /^b, value 22/ }).waitFor();
    await page.locator(".debug-top-stack-frame-line").first().waitFor();
    await editor.shot("web-debug");
    await page.keyboard.press("F10");
    await page.getByRole("treeitem", { name: /^total, value 42/ }).waitFor();
    await page.keyboard.press("F5");
    await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
    await page.getByRole("tab", { name: /^Debug Console/ }).click();
    await page.locator(".repl").filter({ hasText: "the sum is 42" }).waitFor();
  });

  test("what needs the command is not in the palette", async () => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input[type=text]").fill(">Flylead: ");
    const found = page.locator(".quick-input-list").getByRole("option");
    await found.filter({ hasText: "Run on Board" }).or(found.filter({ hasText: "Look for Boards" })).first().waitFor();
    assert.equal(await found.filter({ hasText: /Deploy|Mount|Install a Package|Put MicroPython|Log the/ }).count(), 0);
    await page.keyboard.press("Escape");
  });

  test("nothing is asked of other hosts", () => assert.deepEqual(editor.strangers(), []));

  /** Runs a text that no file has. */
  async function run(program, expected) {
    await editor.write(program);
    await editor.press("Run on Board");
    await editor.printed(expected);
  }
});
