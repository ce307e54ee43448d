/** A day's work in VS Code, with nothing configured but the board's address: programs, files, prompt, debugger, tests. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startBoard, startEsp, startPico } from "../browser/board.js";
import { espImage } from "../browser/firmware.js";
import { freePort } from "../browser/server.js";
import { startEditor } from "./editor.js";

const FILES = {
  "hello.py": 'print("I am on", "the board")\n',
  "loop.py": 'import time\nprint("going", "round")\nwhile True:\n    time.sleep(0.1)\n',
  "mistake.py": "def half(n):\n    return n / 0\n\nhalf(3)\n",
  "greet.py": 'print("Good day,", input("Who? "))\n',
  "steps.py": 'def add(a, b):\n    total = a + b\n    return total\n\nprint("the sum is", add(20, 22))\n',
  "main.py": 'import sys\nprint("deployed to", sys.platform)\n',
  "words.py": 'WORD = "aloha"\n',
  "test_sums.py": "def test_right():\n    assert 1 + 1 == 2\n\ndef test_wrong():\n    assert 1 + 1 == 3\n",
};

/** Programs for the second board, by its platform, with their faults: no radio, and no pin flies; MicroPython's own `sleep_ms` is known. */
const CHECKED = {
  rp2: [
    "import time\nimport bluetooth\nfrom machine import Pin\nPin(25, Pin.OUT).on()\nPin(25).fly()\ntime.sleep_ms(1)\n",
    ['2: Import "bluetooth" could not be resolved', '5: Cannot access attribute "fly" for class "Pin"'],
  ],
  webassembly: ["import time\nimport bluetooth\ntime.sleep_ms(1)\n", ['2: Import "bluetooth" could not be resolved']],
};

describe("a day in VS Code", () => {
  const image = espImage(0, randomBytes(100_000));
  let board, second, esp, editor, page;
  before(async () => {
    [board, esp] = await Promise.all([startBoard({ rawPaste: true }), startEsp("esp32")]);
    editor = await startEditor(FILES, [board.path]);
    page = editor.page;
  });
  afterEach(({ name }) => editor?.shot(`after ${name.slice(0, 40)}`));
  after(async () => {
    await editor?.close();
    await Promise.all([board, second, esp].map((it) => it?.stop()));
  });

  test("in an empty profile the first program runs in three clicks, nothing configured but where the board is", async () => {
    await editor.view("MicroPython");
    await page.getByRole("treeitem", { name: new RegExp(`^${board.path}`) }).hover();
    await editor.press("New Python File");
    await editor.press("Run on Board");
    await editor.printed("Hello from linux");
    assert.equal(editor.steps, 3);
  });

  test("a program of the folder runs", async () => {
    await editor.open("hello.py");
    await editor.press("Run on Board");
    await editor.printed("I am on the board");
    await editor.shot("run");
  });

  test("Stop ends a program, and the next one runs", async () => {
    await editor.open("loop.py");
    await editor.press("Run on Board");
    await editor.printed("going round");
    await editor.press("Stop the Program");
    await editor.printed("KeyboardInterrupt");
    await editor.button("Run on Board").waitFor();
    await editor.open("hello.py");
    await editor.press("Run on Board");
    await editor.printed("I am on the board");
  });

  test("the line of a mistake is marked", async () => {
    await editor.open("mistake.py");
    await editor.press("Run on Board");
    await editor.printed("ZeroDivisionError");
    await page.locator(".editor-instance .squiggly-error").first().waitFor();
    await page.getByRole("tab", { name: /^Problems/ }).click();
    await page.locator(".markers-panel").getByText("[Ln 2, Col 1]").waitFor();
    await editor.shot("mistake");
  });

  test("a program is answered that asks", async () => {
    await editor.open("greet.py");
    await editor.press("Run on Board");
    await editor.printed("Who?");
    await editor.intoTerminal();
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await editor.printed("Good day, Ada");
  });

  test("the board is listed, and its files are shown", async () => {
    await editor.view("MicroPython");
    await page.getByRole("treeitem", { name: new RegExp(`^${board.path}`) }).waitFor();
    await editor.boardFile("flash").waitFor();
    await editor.shot("files");
  });

  test("a file is made on the board, written, read by a program, renamed and deleted", async () => {
    await editor.boardFile("flash").click({ button: "right" });
    await editor.choose("New File on the Board…");
    await editor.answer("word.txt");
    await page.getByRole("tab", { name: "word.txt" }).waitFor();
    await editor.save("kept on the board\n");
    await run("print(open('/flash/word.txt').read().upper())\n", "KEPT ON THE BOARD");
    await editor.view("MicroPython");
    await editor.boardFile("flash").click();
    await editor.boardFile("word.txt").click({ button: "right" });
    await editor.choose("Rename…");
    await editor.answer("words.txt");
    await editor.boardFile("words.txt").click({ button: "right" });
    await editor.choose("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await editor.boardFile("words.txt").waitFor({ state: "detached" });
    await run("import os\nprint('left:', [name for name in os.listdir('/flash') if 'word' in name])\n", "left: []");
  });

  test("a file of this computer is copied to the board", async () => {
    await editor.view("Explorer");
    await page.getByRole("treeitem", { name: "greet.py" }).click({ button: "right" });
    await editor.choose("Copy to the Board");
    await run("import os\nprint('copied:', 'greet.py' in os.listdir())\n", "copied: True");
  });

  test("the prompt is a terminal, beside the other tools", async () => {
    await editor.command("Flylead: Open the Board's Prompt");
    await editor.printed("Enter gives a prompt");
    await editor.intoTerminal();
    await page.keyboard.press("Enter");
    await editor.printed(">>>");
    await page.keyboard.type("print(6 * 7)");
    await page.keyboard.press("Enter");
    await editor.printed("42");
    await editor.shot("prompt");
    await run("print('beside the', 'prompt')\n", "beside the prompt");
  });

  test("the debugger stops at a breakpoint, shows variables and goes on, without a launch.json", async () => {
    await editor.open("steps.py");
    await page.locator(".editor-instance .view-line").nth(1).click();
    await page.keyboard.press("F9");
    await editor.command("Flylead: Debug on Board");
    await page.getByRole("treeitem", { name: /^b, value 22/ }).waitFor();
    await page.locator(".debug-top-stack-frame-line").first().waitFor();
    await editor.shot("debug");
    await page.keyboard.press("F10");
    await page.getByRole("treeitem", { name: /^total, value 42/ }).waitFor();
    await page.keyboard.press("F5");
    await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
    await page.getByRole("tab", { name: /^Debug Console/ }).click();
    await page.locator(".repl").filter({ hasText: "the sum is 42" }).waitFor();
  });

  test("the debugger joins a program that another tool runs, and leaves it running", async () => {
    const port = await freePort();
    const [file, launch] = ["counts.py", ".vscode/launch.json"].map((name) => join(editor.folder, name));
    const configuration = { type: "flylead", request: "attach", name: "Attach", connect: { port } };
    await mkdir(dirname(launch), { recursive: true });
    await writeFile(launch, JSON.stringify({ version: "0.2.0", configurations: [configuration] }));
    await writeFile(file, 'import time\n\ndef count(n):\n    return n + 1\n\nprint("counts")\nn = 0\nwhile True:\n    n = count(n)\n    time.sleep(0.05)\n');
    const { tool, end } = await editor.tool(["--port", board.path, "debug", "--dap", `127.0.0.1:${port}`, file], "counts");
    await editor.open("counts.py");
    await page.locator(".editor-instance .view-line").nth(3).click();
    await page.keyboard.press("F9");
    await page.keyboard.press("F5");
    await page.getByRole("treeitem", { name: /^n, value \d+/ }).waitFor();
    await page.keyboard.press("F9");
    await page.keyboard.press("Shift+F5");
    await page.locator(".debug-toolbar").waitFor({ state: "hidden" });
    await editor.view("MicroPython");
    await editor.board(new RegExp(`^${board.path}\\b`)).getByText(`${tool} has it`).waitFor();
    await end();
    await Promise.all([file, dirname(launch)].map((path) => rm(path, { recursive: true })));
  });

  test("tests are found, run on the board, and fail with their values", async () => {
    await editor.view("Testing");
    await page.getByRole("treeitem", { name: /test_sums\.py/ }).waitFor();
    await editor.command("Test: Run All Tests");
    await page.locator(".test-explorer").getByText("1/2").waitFor();
    await page.getByText("assert (1 + 1) == 3").first().waitFor();
    await editor.shot("tests");
  });

  test("numbers are plotted", async () => {
    await run("import math\nfor n in range(200):\n    print('sine:', math.sin(n / 20), 'cosine:', math.cos(n / 20))\nprint('all', 'printed')\n", "all printed");
    await editor.command("Flylead: Plot the Program's Numbers");
    await editor.drawn().getByText("cosine").waitFor();
    await editor.drawn().locator("canvas").waitFor();
    await editor.shot("plot");
  });

  test("a folder is mounted, and programs import from it", async () => {
    await run("import sys\ntry:\n    import words\nexcept ImportError:\n    print('no', 'words')\n", "no words");
    await editor.command("Flylead: Mount This Folder on the Board");
    await run("import words\nprint('the word is', words.WORD)\n", "the word is aloha");
    await editor.shot("mount");
    await page.getByRole("button", { name: "work on the board" }).click();
    await page.getByRole("button", { name: "work on the board" }).waitFor({ state: "detached" });
  });

  test("what the board prints is logged", async () => {
    await editor.command("Flylead: Log the Board's Output…");
    await editor.path(join(editor.folder, "board.csv"));
    await page.getByRole("treeitem", { name: "board.csv" }).waitFor();
    await run("print('for the', 'log')\n", "for the log");
    await page.getByRole("treeitem", { name: "board.csv" }).dblclick();
    await page.locator(".editor-instance .view-line", { hasText: /,for\sthe\slog$/ }).waitFor();
    await editor.shot("log");
  });

  test("two other boards are plugged in: a second MicroPython, and an ESP32 without firmware", async () => {
    second = await startSecond();
    await editor.configure([board.path, second.path, esp.path]);
    await editor.view("MicroPython");
    await editor.use(second.path);
    await editor.boardFile("usr").waitFor({ state: "detached" });
    await editor.shot("boards");
    await run("import sys\nprint('this is', sys.platform)\n", `this is ${second.platform}`);
  });

  test("firmware is written to the ESP32 after one yes", async () => {
    await writeFile(join(editor.folder, "firmware.bin"), image.bytes);
    await editor.view("MicroPython");
    await editor.board(new RegExp(`^${esp.path}`)).click({ button: "right" });
    await editor.choose("Put MicroPython on a Board…");
    await page.getByRole("option", { name: /A file/ }).click();
    await editor.path(join(editor.folder, "firmware.bin"));
    await page.getByRole("dialog").getByText(/^Write firmware.bin to/).waitFor();
    await editor.shot("flash");
    await page.getByRole("dialog").getByRole("button", { name: "Write", exact: true }).click();
    await page.getByText(/firmware.bin is on/).first().waitFor();
    const { bytes } = await esp.flash();
    assert.ok(bytes.subarray(image.at, image.at + image.bytes.length).equals(image.bytes));
  });

  test("programs are checked by what the connected board has", async () => {
    const [program, expected] = CHECKED[second.platform];
    await editor.command("Flylead: Check Programs by the Connected Board");
    await page.getByText(`The stubs of ${second.platform} are in the folder typings`).first().waitFor();
    await writeFile(join(editor.folder, "check.py"), program);
    assert.deepEqual(await faults(editor.folder, "check.py"), expected);
  });

  test("a folder is deployed, without what is for editors", async () => {
    await editor.view("MicroPython");
    await editor.use(board.path);
    await editor.command("Flylead: Deploy This Folder");
    await editor.printed("typings (stubs are for editors)");
    await editor.printed("on trial");
  });

  test("other extensions reach boards by the editor's API", async () => {
    assert.match(await editor.suite(fileURLToPath(new URL("electron/suite.cjs", import.meta.url))), /all tests passed/);
  });

  test("the list says which tool has a board, and so does a request that waits for it", async () => {
    await editor.view("MicroPython");
    const row = editor.board(new RegExp(`^${board.path}\\b`));
    const { tool, end } = await editor.tool(["--port", board.path, "exec", "import time\nprint('on')\nwhile True:\n    time.sleep(0.1)"], "on");
    await row.getByText(`${tool} has it`).waitFor();
    await editor.shot("busy");
    await editor.view("Explorer");
    await editor.menu(page.getByRole("treeitem", { name: "greet.py" }), "Copy to the Board", page.getByText(`The board is in use by ${tool}`).first());
    await end();
    await editor.view("MicroPython");
    await row.getByText("in use").waitFor();
  });

  test("two windows share a board", async () => {
    const other = await editor.window();
    await other.open("hello.py");
    await other.view("MicroPython");
    await other.use(board.path);
    await other.view("Explorer");
    await other.press("Run on Board");
    await other.printed("this is linux");
    await editor.view("MicroPython");
    await editor.use(board.path);
    await run("print('from the', 'first window')\n", "from the first window");
    await other.page.close();
  });

  test("two boards run programs in two windows at the same time", async () => {
    const other = await editor.window();
    await other.view("MicroPython");
    await other.use(second.path);
    await editor.open("loop.py");
    await editor.save('import sys, time\nwhile True:\n    print(sys.platform, "goes on")\n    time.sleep(0.2)\n');
    await editor.press("Run on Board");
    await editor.printed("linux goes on");
    await other.open("main.py");
    await other.press("Run on Board");
    await other.printed(`deployed to ${second.platform}`);
    await other.shot("two-windows");
    await editor.press("Stop the Program");
    await editor.printed("KeyboardInterrupt");
    await other.page.close();
  });

  test("a snippet writes the beginning of a program", async () => {
    await editor.write("");
    await page.keyboard.type("blink");
    await page.locator(".suggest-widget").getByText("Blink an LED").first().click();
    await page.locator(".editor-instance .view-line", { hasText: "from machine import Pin" }).waitFor();
  });

  test("a walkthrough leads to the first program", async () => {
    await editor.command("Welcome: Open Walkthrough...");
    await editor.answer("Your First Board");
    await page.locator(".gettingStartedContainer").getByText("Plug the board in").first().waitFor();
    await editor.shot("walkthrough");
  });

  test("nothing was written to the folder but what was saved", async () => {
    assert.equal(await readFile(join(editor.folder, "steps.py"), "utf8"), FILES["steps.py"]);
  });

  test("that were forty steps", () => assert.ok(editor.steps >= 40, `${editor.steps} steps`));

  /** Runs a program that is typed into a new file. */
  async function run(program, expected) {
    await editor.open("hello.py");
    await editor.save(program);
    await editor.press("Run on Board");
    await editor.printed(expected);
  }
});

/** Starts an emulated Pico, or the page's board where no image can be had. */
async function startSecond() {
  const pico = await startPico("in VS Code");
  return pico ? { ...pico, platform: "rp2" } : { ...(await startBoard({ kind: "browser" })), platform: "webassembly" };
}

/** Faults that pyright finds in a file, with their lines. It reports by its exit code that there are some. */
async function faults(folder, file) {
  const words = [fileURLToPath(new URL("node_modules/pyright/index.js", import.meta.url)), "--outputjson", file];
  const said = await new Promise((resolve) => execFile(process.execPath, words, { cwd: folder }, (_, stdout) => resolve(stdout)));
  return JSON.parse(said).generalDiagnostics.map(({ range, message }) => `${range.start.line + 1}: ${message.split("\n")[0]}`);
}
