/** The agent: a task, the message to copy, the reply to paste, what it would do, and what was done and undone. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./bench.js";
import { startBoard } from "./board.js";

const REPLY = `I make it blink twice as fast.
[EDIT_FILE path="blink.py" start_line="2" end_line="2"]
PERIOD = 250
[/EDIT_FILE]
[CREATE_FILE path="lib/notes.txt"]
blinks faster
[/CREATE_FILE]
[RUN_COMMAND]
print("checked:", 6 * 7)
[/RUN_COMMAND]
[READ_FILE path="blink.py"]
[MESSAGE]
Have a look at the LED.
[/MESSAGE]
`;
const STATE = "import os\nprint(open('/blink.py').read().split('\\n')[0], sorted(n for n in os.listdir('/') if n.startswith('step')))";
const FILES = "import os\nprint('blink.py' in os.listdir('/'), 'lib' in os.listdir('/'))";
const BLINK = "# blinks\nPERIOD = 500\nprint(PERIOD)\n";

describe("the agent", () => {
  let browser, bench;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    bench = await browser.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await bench.connect();
    await bench.exec(`with open('/blink.py', 'w') as f: f.write(${JSON.stringify(BLINK)})`);
    await bench.page.locator("#tool-agent").click();
    await bench.page.getByLabel("Task").waitFor();
  });
  afterEach(() => bench.close());

  test("works on the board: what is accepted is done, what is refused is told, and undo takes it back", async () => {
    await begin(bench, "Blink faster");
    await bench.button("Copy").click();
    await bench.button("Copied").waitFor();
    const outbox = await bench.page.evaluate(() => navigator.clipboard.readText());
    assert.match(outbox, /Blink faster/);
    assert.match(outbox, /blink\.py \(36 bytes\)/);
    assert.doesNotMatch(outbox, /proc\//);
    await paste(bench, REPLY);
    assert.equal(await bench.page.locator(".preview").count(), 3);
    await bench.page.locator(".preview", { hasText: "blink.py" }).locator(".cm-deletedChunk", { hasText: "PERIOD = 500" }).waitFor();
    await bench.shot("agent-preview");
    await bench.page.locator(".preview", { hasText: "notes.txt" }).getByRole("checkbox").uncheck();
    await bench.page.locator(".preview", { hasText: "checked:" }).getByRole("checkbox").check();
    await bench.button("Do what is accepted").click();
    await bench.page.locator(".turn", { hasText: "Have a look at the LED." }).waitFor();
    await bench.waitForState("ready");
    await bench.page.locator(".results .failed", { hasText: "was not changed: the person refused" }).waitFor();
    await bench.page.locator(".results pre", { hasText: "checked: 42" }).waitFor();
    await bench.page.locator("summary", { hasText: "Message 2" }).waitFor();
    assert.match(await bench.page.locator(".agent-body details pre").textContent(), /--- blink\.py ---\n# blinks\nPERIOD = 250/);
    await bench.shot("agent-done");
    await bench.page.getByRole("button", { name: "Undo reply 1" }).click();
    await bench.page.getByText("blink.py: as before").waitFor();
    await bench.waitForState("ready");
    await bench.page.locator("#tool-program").click();
    assert.equal(await bench.exec("import os\nprint(open('/blink.py').read() == " + JSON.stringify(BLINK) + ", 'lib' in os.listdir('/'))"), "True False");
  });

  test("replies are taken back one after the other, the newest first", async () => {
    await begin(bench, "Blink faster");
    for (const [at, period] of ["250", "125", "60"].entries()) {
      await paste(bench, `[CREATE_FILE path="blink.py"]\nPERIOD = ${period}\n[/CREATE_FILE]\n[CREATE_FILE path="step${at + 1}.txt"]\n${period}\n[/CREATE_FILE]\n`);
      await bench.button("Do what is accepted").click();
      await bench.page.locator("summary", { hasText: `Message ${at + 2}` }).waitFor();
      await bench.waitForState("ready");
    }
    const undo = (reply) => bench.page.getByRole("button", { name: `Undo reply ${reply}` });
    assert.equal(await bench.page.getByRole("button", { name: /^Undo reply/ }).count(), 1, "the newest alone");
    await undo(3).click();
    await undo(2).waitFor();
    await bench.waitForState("ready");
    await bench.page.locator("#tool-program").click();
    assert.equal(await bench.exec(STATE), "PERIOD = 125 ['step1.txt', 'step2.txt']");
    await bench.page.locator("#tool-agent").click();
    await undo(2).click();
    await undo(1).waitFor();
    await bench.waitForState("ready");
    await bench.shot("agent-undone");
    await undo(1).click();
    await bench.page.locator(".turn .undone").nth(2).waitFor();
    await bench.waitForState("ready");
    await bench.page.locator("#tool-program").click();
    assert.equal(await bench.exec(STATE), "# blinks []");
    await bench.open();
    await bench.page.locator("#tool-agent").click();
    await bench.page.locator(".turn .undone").nth(2).waitFor();
  });

  test("a long message goes in parts, a task survives a reload, and DONE ends it", async () => {
    await begin(bench, "Say goodbye");
    await bench.page.getByLabel("Longest part").selectOption("2000");
    await bench.page.getByRole("button", { name: /Copy part 2 of \d/ }).waitFor();
    await bench.open();
    await bench.page.locator("summary", { hasText: "Message 1" }).waitFor();
    await bench.connect();
    await paste(bench, "[DONE]\nGoodbye.\n[/DONE]\n");
    await bench.button("Do what is accepted").click();
    await bench.page.getByText("The task is done").waitFor();
    assert.ok(await bench.page.locator("[data-step=outbox]").isHidden());
  });

  test("works on its own board alone, whichever is in front", async () => {
    await begin(bench, "Blink faster");
    await paste(bench, REPLY);
    await bench.page.locator("#add-board").click();
    await bench.connect();
    await bench.button("Do what is accepted").click();
    await bench.page.getByText("This task works on Board in this page (1), and Board in this page (2) is in front. Nothing was done").waitFor();
    await bench.shot("agent-other-board");
    await bench.page.locator("#tool-program").click();
    assert.equal(await bench.exec(FILES), "False False");
    await front(bench, 1);
    await bench.button("Do what is accepted").click();
    await bench.page.getByRole("button", { name: "Undo reply 1" }).waitFor();
    await front(bench, 2);
    await bench.page.getByRole("button", { name: "Undo reply 1" }).click();
    await bench.page.getByText("Nothing was done: put the task's board in front").waitFor();
    await front(bench, 1);
    await bench.page.getByRole("button", { name: "Undo reply 1" }).click();
    await bench.page.getByText("blink.py: as before").waitFor();
    await bench.waitForState("ready");
  });

  test("a page that is closed in the middle of a reply can still put back what it changed", async () => {
    await useFolder(bench);
    await bench.page.getByLabel("In a folder of this computer").check();
    await begin(bench, "Blink faster");
    await paste(bench, '[CREATE_FILE path="blink.py"]\nPERIOD = 1\n[/CREATE_FILE]\n[CREATE_FILE path="slow.txt"]\n[/CREATE_FILE]\n');
    await bench.page.evaluate(() => {
      const { getFileHandle } = FileSystemDirectoryHandle.prototype;
      FileSystemDirectoryHandle.prototype.getFileHandle = function (name, options) {
        return name === "slow.txt" && options?.create ? new Promise(() => (window.isStuck = true)) : getFileHandle.call(this, name, options);
      };
    });
    await bench.button("Do what is accepted").click();
    await bench.page.waitForFunction(() => window.isStuck);
    assert.equal(await blinkInFolder(bench), "PERIOD = 1\n");
    await bench.open();
    await bench.page.locator("#tool-agent").click();
    await bench.page.locator(".turn .interrupted").waitFor();
    await bench.page.locator("summary", { hasText: "Message 1" }).waitFor();
    await bench.shot("agent-interrupted");
    await bench.page.getByRole("button", { name: "Undo reply 1" }).click();
    await bench.page.getByText("slow.txt: as before; blink.py: as before").waitFor();
    assert.equal(await blinkInFolder(bench), BLINK);
  });

  test("a reply to another message is taken when the person says so", async () => {
    await begin(bench, "Say hello");
    await bench.page.locator("[name=reply]").fill("Sequence: 7\n[MESSAGE]\nHello.\n[/MESSAGE]\n");
    await bench.button("See what it would do").click();
    await bench.page.getByRole("dialog").getByText("the reply answers another outbox; outbox 1 waits").waitFor();
    await bench.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await bench.page.locator(".fault", { hasText: "the reply answers another outbox" }).waitFor();
    assert.ok(await bench.page.locator("[data-step=preview]").isHidden());
    await bench.button("See what it would do").click();
    await bench.button("Take it").click();
    await bench.page.locator("[data-step=preview]:not([hidden])").waitFor();
    await bench.button("Do what is accepted").click();
    await bench.page.locator(".turn", { hasText: "Hello." }).waitFor();
  });

  test("works in a folder of this computer", async () => {
    await useFolder(bench);
    await bench.page.getByLabel("In a folder of this computer").check();
    await begin(bench, "Blink faster");
    await paste(bench, REPLY.replace(/\[RUN_COMMAND\][^]*\[\/RUN_COMMAND\]\n/, ""));
    await bench.button("Do what is accepted").click();
    await bench.page.locator(".turn").waitFor();
    assert.equal(await blinkInFolder(bench), BLINK.replace("500", "250"));
  });
});

describe("the agent on a real board", () => {
  test("edits its files over real Web Serial", async () => {
    // Only so does the unix port let every byte of a file pass.
    const board = await startBoard({ rawPaste: true });
    const browser = await startBrowser({ serial: board.path });
    try {
      const bench = await browser.page();
      await bench.button("Raspberry Pi Pico 2e8a:0005").click();
      await bench.waitForState("ready");
      await bench.exec(`with open('/flash/blink.py', 'w') as f: f.write(${JSON.stringify(BLINK)})`);
      await bench.page.locator("#tool-agent").click();
      await bench.page.getByLabel("Folder on the board").fill("/flash");
      await begin(bench, "Blink faster");
      await paste(bench, REPLY);
      await bench.button("Do what is accepted").click();
      await bench.page.locator(".turn").waitFor();
      await bench.waitForState("ready");
      await bench.page.locator("#tool-program").click();
      assert.equal(await bench.exec("print(open('/flash/blink.py').read().split()[4], open('/flash/lib/notes.txt').read())"), "250 blinks faster");
      await bench.close();
    } finally {
      await browser.close();
      await board.stop();
    }
  });
});

/** The origin's own folder takes the place of one of this computer, which only a person can pick. */
function useFolder(bench) {
  return bench.page.evaluate(async (text) => {
    const root = await navigator.storage.getDirectory();
    const stream = await (await root.getFileHandle("blink.py", { create: true })).createWritable();
    await stream.write(text);
    await stream.close();
    window.showDirectoryPicker = async () => root;
  }, BLINK);
}

function blinkInFolder(bench) {
  return bench.page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle("blink.py")).getFile()).text());
}

async function front(bench, number) {
  await bench.page.locator(".chip", { hasText: `(${number})` }).click();
  await bench.waitForState("ready");
  await bench.page.locator("#tool-agent").click();
}

async function begin(bench, task) {
  await bench.page.getByLabel("Task").fill(task);
  await bench.button("Begin").click();
  await bench.page.locator("[data-step=outbox]:not([hidden])").waitFor();
  await bench.waitForState("ready");
}

async function paste(bench, reply) {
  await bench.page.locator("[name=reply]").fill(reply);
  await bench.button("See what it would do").click();
  await bench.page.locator("[data-step=preview]:not([hidden])").waitFor();
  await bench.waitForState("ready");
}
