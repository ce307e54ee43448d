/** The documents: what is typed is never lost, whatever happens to the tab that it was typed in. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { App, startBrowser } from "./app.js";
import { Files } from "./files.js";

describe("documents", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (app = await browser.page()));
  afterEach(() => app.close());

  test("are the same in two tabs, and the work of both is kept", async () => {
    const other = new App(await app.page.context().newPage(), app.url);
    await other.open();
    await app.write("first = 1");
    await other.page.locator("#editor", { hasText: "first = 1" }).waitFor();
    await beginSecond(other);
    await other.write("second = 2");
    await tab(app, "Program 2").waitFor();
    await app.write("first = 10");
    for (const one of [app, other]) {
      await waitForTexts(one, ["first = 10", "second = 2"]);
      await one.open();
      await waitForTexts(one, ["first = 10", "second = 2"]);
    }
    await tab(app, "Program 2").click();
    await other.page.locator("#tabs button[aria-label='Close Program 2']").click();
    await other.page.getByRole("dialog").getByRole("button", { name: "Close without saving" }).click();
    await tab(other, "Program 2").waitFor({ state: "detached" });
    await waitForEditor(app, "second = 2"); // Who looks at it keeps it.
  });

  test("that two tabs change in the same moment become two", async () => {
    await app.write("mine = 1");
    await app.page.evaluate(() => {
      const name = "flylead.document.program";
      const kept = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify({ version: "another", document: { ...kept.document, text: "theirs = 2" } }));
    });
    await app.page.keyboard.type("0");
    await tab(app, "Program 2").waitFor();
    await waitForTexts(app, ["theirs = 2", "mine = 10"]);
  });

  test("are closed from the first to the last, and the next one is kept", async () => {
    await app.write("one");
    await beginSecond(app);
    await app.write("two");
    await app.button("Close Program").first().click();
    await app.page.getByRole("dialog").getByRole("button", { name: "Close without saving" }).click();
    await app.page.locator("#tabs .tab").nth(1).waitFor({ state: "detached" });
    await waitForEditor(app, "two");
    await app.write("three");
    await waitForTexts(app, ["three"]);
    await app.open();
    await waitForTexts(app, ["three"]);
  });

  test("do not make way for an example", async () => {
    await app.write("my = 'work'");
    await openExample(app, "Draw a sine");
    await tab(app, "sine.py").waitFor();
    await openExample(app, "Hello");
    await tab(app, "hello.py").waitFor();
    await app.page.waitForFunction(() => Object.values(localStorage).some((kept) => kept.includes("squared is")));
    const kept = await texts(app);
    assert.equal(kept[0], "my = 'work'");
    assert.match(kept[1], /squared is/, "an example that nobody has touched makes way for the next");
  });

  test("for which this browser has no room are named, and take no other with them", async () => {
    await app.write("small = 1");
    await beginSecond(app);
    await app.page.evaluate(() => localStorage.setItem("full", "x".repeat(5_200_000)));
    await app.write(`large = "${"y".repeat(200_000)}"`);
    await app.page.locator("#saved", { hasText: "Not kept: Program 2" }).waitFor();
    await app.page.evaluate(() => localStorage.removeItem("full"));
    await app.page.keyboard.type(" ");
    await app.page.locator("#saved", { hasText: "Kept in this browser" }).waitFor();
    assert.equal((await texts(app))[0], "small = 1");
  });

  test("are opened from this computer and saved to it, without a board or a folder", async () => {
    await app.page.evaluate(() => delete window.showSaveFilePicker);
    const picking = app.page.waitForEvent("filechooser");
    await begin(app, "open");
    await (await picking).setFiles({ name: "blink.py", mimeType: "text/x-python", buffer: Buffer.from("print('blink')\n") });
    await tab(app, "blink.py").waitFor();
    await app.write("print('blink', 2)");
    const coming = app.page.waitForEvent("download");
    await app.page.keyboard.press("Control+s");
    const down = await coming;
    assert.equal(down.suggestedFilename(), "blink.py");
    assert.equal(await readFile(await down.path(), "utf8"), "print('blink', 2)");
    const again = app.page.waitForEvent("filechooser");
    await begin(app, "open");
    await (await again).setFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from([0xff, 0xd8, 0xff]) });
    await app.page.locator("#toast", { hasText: "photo.jpg is no text." }).waitFor();
  });

  test("run with the files beside them: at first, and when the board is started", async () => {
    await app.page.locator("#files-toggle").click();
    await app.page.locator("#files .strip").waitFor();
    await app.run("print('it', 'ran')");
    await app.waitForText("it ran");
    await app.waitForState("ready");
    await app.page.locator("#files .space", { hasText: "free" }).waitFor();
    assert.ok(await app.page.locator("#files .fault").isHidden(), "the files were listed before the program ran");
    await app.button("Disconnect").click();
    await app.waitForState("loose");
    await app.open();
    await app.page.locator("#files .strip").waitFor();
    await app.connect();
  });

  test("are not written over by a file that takes their name", async () => {
    await app.connect();
    const files = await Files.open(app);
    for (const name of ["a.py", "b.py"]) {
      await files.newFile(name);
      await app.write(`# ${name}`);
      await app.page.keyboard.press("Control+s");
      await files.waitForSaved(name);
    }
    await files.select("/a.py");
    await app.page.keyboard.press("F2");
    await files.answer("b.py");
    await app.page.locator("#files", { hasText: "/b.py is there already." }).waitFor();
    assert.equal(await app.exec("print(open('/b.py').read())"), "# b.py");
  });
});

function openExample(app, what) {
  return app.page.locator("#examples").selectOption(what);
}

function begin(app, what) {
  return app.page.locator("#begin").selectOption(what);
}

/** A program beside the first one, in front: what is written from now on is written there. */
async function beginSecond(app) {
  await begin(app, "new");
  await tab(app, "Program 2").and(app.page.locator("[aria-current]")).waitFor();
  await waitForEditor(app, "");
}

async function waitForEditor(app, text) {
  await app.page.waitForFunction((wanted) => [...document.querySelectorAll("#editor .cm-line")].map((line) => line.textContent).join("\n") === wanted, text);
}

function tab(app, name) {
  return app.page.locator("#tabs .tab > button:first-child", { hasText: new RegExp(`^${name}( |$)`) });
}

/** Another page of this browser may learn a moment later what is kept. */
async function waitForTexts(app, wanted) {
  const until = Date.now() + 60_000;
  while (JSON.stringify(await texts(app)) !== JSON.stringify(wanted) && Date.now() < until) await app.page.waitForTimeout(100);
  assert.deepEqual(await texts(app), wanted);
}

/** Returns the documents that this browser keeps, the oldest first. */
function texts(app) {
  return app.page.evaluate(() => {
    const names = Object.keys(localStorage).filter((name) => name.startsWith("flylead.document."));
    const kept = names.map((name) => JSON.parse(localStorage.getItem(name)).document);
    return kept.sort((one, other) => one.opened - other.opened).map(({ text }) => text);
  });
}
