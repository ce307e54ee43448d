/** The agent: a task, the message to copy, the reply to paste, what it would do, and what was done and undone. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard } from "./board.js";
import { Files } from "./files.js";

const REPLY = `I make it blink twice as fast.
[EDIT_FILE path="blink.py" start_line="2" end_line="2" expect="PERIOD = 500"]
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
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await app.connect();
    await app.exec(`with open('/blink.py', 'w') as f: f.write(${JSON.stringify(BLINK)})`);
    await app.page.locator("#tool-agent").click();
    await app.page.getByLabel("Task").waitFor();
  });
  afterEach(() => app.close());

  test("works on the board: what is accepted is done, what is refused is told, and undo takes it back", async () => {
    await begin(app, "Blink faster");
    await app.button("Copy").click();
    await app.button("Copied").waitFor();
    const outbox = await app.page.evaluate(() => navigator.clipboard.readText());
    assert.match(outbox, /Blink faster/);
    assert.match(outbox, /blink\.py \(36 bytes\)/);
    assert.doesNotMatch(outbox, /proc\//);
    await paste(app, REPLY);
    assert.equal(await app.page.locator(".preview").count(), 4);
    await app.page.locator(".preview", { hasText: "Change blink.py" }).locator(".cm-deletedChunk", { hasText: "PERIOD = 500" }).waitFor();
    await app.shot("agent-preview");
    await app.page.locator(".preview", { hasText: "notes.txt" }).getByRole("checkbox").uncheck();
    await app.page.locator(".preview", { hasText: "checked:" }).getByRole("checkbox").check();
    await app.button("Do what is accepted").click();
    await app.page.locator(".turn", { hasText: "Have a look at the LED." }).waitFor();
    await app.waitForState("ready");
    await app.page.locator(".results .failed", { hasText: "was not changed: the person refused" }).waitFor();
    await app.page.locator(".results pre", { hasText: "checked: 42" }).waitFor();
    await app.page.locator("summary", { hasText: "Message 2" }).waitFor();
    assert.match(await app.page.locator(".agent-body details pre").textContent(), /--- blink\.py ---\n# blinks\nPERIOD = 250/);
    await app.shot("agent-done");
    await app.page.getByRole("button", { name: "Undo reply 1" }).click();
    await app.page.getByText("blink.py: as before").waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    assert.equal(await app.exec("import os\nprint(open('/blink.py').read() == " + JSON.stringify(BLINK) + ", 'lib' in os.listdir('/'))"), "True False");
  });

  test("shows which files it asks for before they go to the chat, marks those with secrets, and sends none that was not accepted", async () => {
    await app.page.locator("#tool-program").click();
    await app.exec("with open('/.env', 'w') as f: f.write('TOKEN=hidden-from-the-chat')");
    await app.page.locator("#tool-agent").click();
    await begin(app, "Look around");
    await paste(app, '[READ_FILE path=".env"]\n[READ_FILE path="blink.py"]\n');
    const secret = app.page.locator(".preview", { hasText: "Send .env to the chat" });
    await secret.getByText("It looks like a file with secrets.").waitFor();
    assert.equal(await secret.getByRole("checkbox").isChecked(), false);
    const plain = app.page.locator(".preview", { hasText: "Send blink.py to the chat" });
    assert.equal(await plain.getByRole("checkbox").isChecked(), true);
    assert.equal(await plain.locator(".secret").count(), 0);
    await app.shot("agent-reads");
    await app.button("Do what is accepted").click();
    await app.page.locator("summary", { hasText: "Message 2" }).waitFor();
    await app.waitForState("ready");
    const message = await app.page.locator(".agent-body details pre").textContent();
    assert.match(message, /--- blink\.py ---\n# blinks/);
    assert.doesNotMatch(message, /hidden-from-the-chat/);
  });

  test("shows characters that hide or turn text round by their numbers, in names, programs, commands and answers", async () => {
    await begin(app, "Show me");
    const [turn, hidden, tag] = ["\u202e", "\u200b", "\u{e0041}"];
    await paste(app, `[CREATE_FILE path="no${turn}te.txt"]\nshown = 1 # ${turn}gnp.${hidden}x${tag}\n[/CREATE_FILE]\n[RUN_COMMAND]\nprint("${turn}a")\n[/RUN_COMMAND]\n[MESSAGE]\nfine${turn}\n[/MESSAGE]\n`);
    await app.page.locator(".preview .diff", { hasText: "\\u{202e}gnp.\\u{200b}x\\u{e0041}" }).or(app.page.locator(".preview.failing", { hasText: "\\u{202e}" })).first().waitFor();
    await app.page.locator(".preview .command", { hasText: 'print("\\u{202e}a")' }).waitFor();
    await app.shot("agent-unseen");
    const text = () => app.page.locator("#agent .previews").textContent();
    assert.doesNotMatch(await text(), /\p{Cf}/u);
    await app.button("Do what is accepted").click();
    await app.page.locator(".turn .message", { hasText: "fine\\u{202e}" }).waitFor();
    await app.waitForState("ready");
  });

  test("what it changes is what the editor shows, and what could not be done is told with its reason", async () => {
    await app.page.locator("#tool-program").click();
    await Files.open(app);
    await app.page.locator("[data-path='/blink.py']").click();
    await app.page.locator(".cm-content").getByText("PERIOD = 500").waitFor();
    await app.page.locator("#tool-agent").click();
    await begin(app, "Blink faster");
    await paste(app, `[EDIT_FILE path="blink.py" start_line="2" end_line="2" expect="PERIOD = 500"]\nPERIOD = 125\n[/EDIT_FILE]\n[EDIT_FILE path="missing.py" start_line="1" end_line="1"]\nx = 1\n[/EDIT_FILE]\n`);
    await app.button("Do what is accepted").click();
    await app.page.locator("summary", { hasText: "Message 2" }).waitFor();
    await app.waitForState("ready");
    const message = await app.page.locator(".agent-body details pre").textContent();
    assert.match(message, /missing\.py/);
    assert.doesNotMatch(message, /the person refused/);
    await app.page.locator("#tool-program").click();
    await app.page.locator(".cm-content").getByText("PERIOD = 125").waitFor();
    assert.equal(await app.page.locator("#tabs .unsaved").count(), 0);
    await app.page.locator("#tool-agent").click();
    await app.page.getByRole("button", { name: "Undo reply 1" }).click();
    await app.page.getByText("blink.py: as before").waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    await app.page.locator(".cm-content").getByText("PERIOD = 500").waitFor();
  });

  test("replies are taken back one after the other, the newest first", async () => {
    await begin(app, "Blink faster");
    for (const [at, period] of ["250", "125", "60"].entries()) {
      await paste(app, `[CREATE_FILE path="blink.py"]\nPERIOD = ${period}\n[/CREATE_FILE]\n[CREATE_FILE path="step${at + 1}.txt"]\n${period}\n[/CREATE_FILE]\n`);
      await app.button("Do what is accepted").click();
      await app.page.locator("summary", { hasText: `Message ${at + 2}` }).waitFor();
      await app.waitForState("ready");
    }
    const undo = (reply) => app.page.getByRole("button", { name: `Undo reply ${reply}` });
    assert.equal(await app.page.getByRole("button", { name: /^Undo reply/ }).count(), 1, "the newest alone");
    await undo(3).click();
    await undo(2).waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    assert.equal(await app.exec(STATE), "PERIOD = 125 ['step1.txt', 'step2.txt']");
    await app.page.locator("#tool-agent").click();
    await undo(2).click();
    await undo(1).waitFor();
    await app.waitForState("ready");
    await app.shot("agent-undone");
    await undo(1).click();
    await app.page.locator(".turn .undone").nth(2).waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    assert.equal(await app.exec(STATE), "# blinks []");
    await app.open();
    await app.page.locator("#tool-agent").click();
    await app.page.locator(".turn .undone").nth(2).waitFor();
  });

  test("a long message goes in parts, a task survives a reload, and DONE ends it", async () => {
    await begin(app, "Say goodbye");
    await app.page.getByLabel("Longest part").selectOption("2000");
    await app.page.getByRole("button", { name: /Copy part 2 of \d/ }).waitFor();
    await app.open();
    await app.page.locator("summary", { hasText: "Message 1" }).waitFor();
    await app.connect();
    await paste(app, "[DONE]\nGoodbye.\n[/DONE]\n");
    await app.button("Do what is accepted").click();
    await app.page.getByText("The task is done").waitFor();
    assert.ok(await app.page.locator("[data-step=outbox]").isHidden());
  });

  test("works on its own board alone, whichever is in front", async () => {
    await begin(app, "Blink faster");
    await paste(app, REPLY);
    await app.page.locator("#add-board").click();
    await app.connect();
    await app.button("Do what is accepted").click();
    await app.page.getByText("This task works on Board in this page (1), and Board in this page (2) is in front. Nothing was done").waitFor();
    await app.shot("agent-other-board");
    await app.page.locator("#tool-program").click();
    assert.equal(await app.exec(FILES), "False False");
    await front(app, 1);
    await app.button("Do what is accepted").click();
    await app.page.getByRole("button", { name: "Undo reply 1" }).waitFor();
    await front(app, 2);
    await app.page.getByRole("button", { name: "Undo reply 1" }).click();
    await app.page.getByText("Nothing was done: put the task's board in front").waitFor();
    await front(app, 1);
    await app.page.getByRole("button", { name: "Undo reply 1" }).click();
    await app.page.getByText("blink.py: as before").waitFor();
    await app.waitForState("ready");
  });

  test("a page that is closed in the middle of a reply can still put back what it changed", async () => {
    await useFolder(app);
    await app.page.getByLabel("In a folder of this computer").check();
    await begin(app, "Blink faster");
    await paste(app, '[CREATE_FILE path="blink.py"]\nPERIOD = 1\n[/CREATE_FILE]\n[CREATE_FILE path="slow.txt"]\n[/CREATE_FILE]\n');
    await app.page.evaluate(() => {
      const { getFileHandle } = FileSystemDirectoryHandle.prototype;
      FileSystemDirectoryHandle.prototype.getFileHandle = function (name, options) {
        return name === "slow.txt" && options?.create ? new Promise(() => (window.isStuck = true)) : getFileHandle.call(this, name, options);
      };
    });
    await app.button("Do what is accepted").click();
    await app.page.waitForFunction(() => window.isStuck);
    assert.equal(await blinkInFolder(app), "PERIOD = 1\n");
    await app.open();
    await app.page.locator("#tool-agent").click();
    await app.page.locator(".turn .interrupted").waitFor();
    await app.page.locator("summary", { hasText: "Message 1" }).waitFor();
    await app.shot("agent-interrupted");
    await app.page.getByRole("button", { name: "Undo reply 1" }).click();
    await app.page.getByText("slow.txt: as before; blink.py: as before").waitFor();
    assert.equal(await blinkInFolder(app), BLINK);
  });

  test("a reply to another message is taken when the person says so", async () => {
    await begin(app, "Say hello");
    await app.page.locator("[name=reply]").fill("Sequence: 7\n[MESSAGE]\nHello.\n[/MESSAGE]\n");
    await app.button("See what it would do").click();
    await app.page.getByRole("dialog").getByText("the reply answers another outbox; outbox 1 is waiting for a reply").waitFor();
    await app.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await app.page.locator(".fault", { hasText: "the reply answers another outbox" }).waitFor();
    assert.ok(await app.page.locator("[data-step=preview]").isHidden());
    await app.button("See what it would do").click();
    await app.button("Take it").click();
    await app.page.locator("[data-step=preview]:not([hidden])").waitFor();
    await app.button("Do what is accepted").click();
    await app.page.locator(".turn", { hasText: "Hello." }).waitFor();
  });

  test("works in a folder of this computer", async () => {
    await useFolder(app);
    await app.page.getByLabel("In a folder of this computer").check();
    await begin(app, "Blink faster");
    await paste(app, REPLY.replace(/\[RUN_COMMAND\][^]*\[\/RUN_COMMAND\]\n/, ""));
    await app.button("Do what is accepted").click();
    await app.page.locator(".turn").waitFor();
    assert.equal(await blinkInFolder(app), BLINK.replace("500", "250"));
  });
});

describe("the agent on a real board", () => {
  test("edits its files over real Web Serial", async () => {
    // Only so does the unix port let every byte of a file pass.
    const board = await startBoard({ rawPaste: true });
    const browser = await startBrowser({ serial: board.path });
    try {
      const app = await browser.page();
      await app.button("Raspberry Pi Pico 2e8a:0005").click();
      await app.waitForState("ready");
      await app.exec(`with open('/flash/blink.py', 'w') as f: f.write(${JSON.stringify(BLINK)})`);
      await app.page.locator("#tool-agent").click();
      await app.page.getByLabel("Folder on the board").fill("/flash");
      await begin(app, "Blink faster");
      await paste(app, REPLY);
      await app.button("Do what is accepted").click();
      await app.page.locator(".turn").waitFor();
      // Nobody has allowed the command.
      const failed = app.page.locator(".turn .failed", { hasNotText: "the person refused" });
      assert.deepEqual(await failed.allInnerTexts(), []);
      await app.waitForState("ready");
      await app.page.locator("#tool-program").click();
      assert.equal(await app.exec("print(open('/flash/blink.py').read().split()[4], open('/flash/lib/notes.txt').read())"), "250 blinks faster");
      await app.close();
    } finally {
      await browser.close();
      await board.stop();
    }
  });
});

/** The origin's own folder takes the place of one of this computer, which only a person can pick. */
function useFolder(app) {
  return app.page.evaluate(async (text) => {
    const root = await navigator.storage.getDirectory();
    const stream = await (await root.getFileHandle("blink.py", { create: true })).createWritable();
    await stream.write(text);
    await stream.close();
    window.showDirectoryPicker = async () => root;
  }, BLINK);
}

function blinkInFolder(app) {
  return app.page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle("blink.py")).getFile()).text());
}

async function front(app, number) {
  await app.page.locator(".chip", { hasText: `(${number})` }).click();
  await app.waitForState("ready");
  await app.page.locator("#tool-agent").click();
}

async function begin(app, task) {
  await app.page.getByLabel("Task").fill(task);
  await app.button("Begin").click();
  await app.page.locator("[data-step=outbox]:not([hidden])").waitFor();
  await app.waitForState("ready");
}

async function paste(app, reply) {
  await app.page.locator("[name=reply]").fill(reply);
  await app.button("See what it would do").click();
  await app.page.locator("[data-step=preview]:not([hidden])").waitFor();
  await app.waitForState("ready");
}
