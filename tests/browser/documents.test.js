/** The documents: what is typed is never lost, whatever happens to the tab that it was typed in. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Bench, startBrowser } from "./bench.js";
import { Files } from "./files.js";

describe("documents", () => {
  let browser, bench;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => (bench = await browser.page()));
  afterEach(() => bench.close());

  test("are the same in two tabs, and the work of both is kept", async () => {
    const other = new Bench(await bench.page.context().newPage(), bench.url);
    await other.open();
    await bench.write("first = 1");
    await other.page.locator("#editor", { hasText: "first = 1" }).waitFor();
    await begin(other, "new");
    await other.write("second = 2");
    await tab(bench, "Program 2").waitFor();
    await bench.write("first = 10");
    for (const one of [bench, other]) {
      await one.open();
      assert.deepEqual(await texts(one), ["first = 10", "second = 2"]);
    }
    await tab(bench, "Program 2").click();
    await other.page.locator("#tabs button[aria-label='Close Program 2']").click();
    await other.page.getByRole("dialog").getByRole("button", { name: "Close without saving" }).click();
    await tab(other, "Program 2").waitFor({ state: "detached" });
    assert.equal(await bench.page.locator("#editor .cm-content").innerText(), "second = 2", "who looks at it keeps it");
  });

  test("that two tabs change in the same moment become two", async () => {
    await bench.write("mine = 1");
    await bench.page.evaluate(() => {
      const name = "flylead.document.program";
      const kept = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify({ version: "another", document: { ...kept.document, text: "theirs = 2" } }));
    });
    await bench.page.keyboard.type("0");
    await tab(bench, "Program 2").waitFor();
    assert.deepEqual(await texts(bench), ["theirs = 2", "mine = 10"]);
  });

  test("are closed from the first to the last, and the next one is kept", async () => {
    await bench.write("one");
    await begin(bench, "new");
    await bench.write("two");
    for (const name of ["Close Program", "Close Program"]) {
      if (!(await bench.button(name).first().isVisible())) break;
      await bench.button(name).first().click();
      await bench.page.getByRole("dialog").getByRole("button", { name: "Close without saving" }).click();
      await bench.page.locator("#tabs").waitFor({ state: "hidden" });
    }
    await bench.write("three");
    await bench.open();
    assert.deepEqual(await texts(bench), ["three"]);
  });

  test("do not make way for an example", async () => {
    await bench.write("my = 'work'");
    await begin(bench, "Draw a sine");
    await tab(bench, "Program 2").waitFor();
    await begin(bench, "Hello");
    const kept = await texts(bench);
    assert.equal(kept[0], "my = 'work'");
    assert.match(kept[1], /squared is/, "an example that nobody has touched makes way for the next");
  });

  test("for which this browser has no room are named, and take no other with them", async () => {
    await bench.write("small = 1");
    await begin(bench, "new");
    await bench.page.evaluate(() => localStorage.setItem("full", "x".repeat(5_200_000)));
    await bench.write(`large = "${"y".repeat(200_000)}"`);
    await bench.page.locator("#saved", { hasText: "Not kept: Program 2" }).waitFor();
    await bench.page.evaluate(() => localStorage.removeItem("full"));
    await bench.page.keyboard.type(" ");
    await bench.page.locator("#saved", { hasText: "Kept in this browser" }).waitFor();
    assert.equal((await texts(bench))[0], "small = 1");
  });

  test("are opened from this computer and saved to it, without a board or a folder", async () => {
    await bench.page.evaluate(() => delete window.showSaveFilePicker);
    const picking = bench.page.waitForEvent("filechooser");
    await begin(bench, "open");
    await (await picking).setFiles({ name: "blink.py", mimeType: "text/x-python", buffer: Buffer.from("print('blink')\n") });
    await tab(bench, "blink.py").waitFor();
    await bench.write("print('blink', 2)");
    const coming = bench.page.waitForEvent("download");
    await bench.page.keyboard.press("Control+s");
    const down = await coming;
    assert.equal(down.suggestedFilename(), "blink.py");
    assert.equal(await readFile(await down.path(), "utf8"), "print('blink', 2)");
    const again = bench.page.waitForEvent("filechooser");
    await begin(bench, "open");
    await (await again).setFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from([0xff, 0xd8, 0xff]) });
    await bench.page.locator("#toast", { hasText: "photo.jpg is no text." }).waitFor();
  });

  test("run with the files beside them: at first, and when the board is started", async () => {
    await bench.page.locator("#files-toggle").click();
    await bench.page.locator("#files .strip").waitFor();
    await bench.run("print('it', 'ran')");
    await bench.waitForText("it ran");
    await bench.waitForState("ready");
    await bench.button("Disconnect").click();
    await bench.open();
    await bench.page.locator("#files .strip").waitFor();
    await bench.connect();
  });

  test("are not written over by a file that takes their name", async () => {
    await bench.connect();
    const files = await Files.open(bench);
    for (const name of ["a.py", "b.py"]) {
      await files.newFile(name);
      await bench.write(`# ${name}`);
      await bench.page.keyboard.press("Control+s");
      await files.waitForSaved(name);
    }
    await files.select("/a.py");
    await bench.page.keyboard.press("F2");
    await files.answer("b.py");
    await bench.page.locator("#files", { hasText: "/b.py is there already." }).waitFor();
    assert.equal(await bench.exec("print(open('/b.py').read())"), "# b.py");
  });
});

function begin(bench, what) {
  return bench.page.locator("#begin").selectOption(what);
}

function tab(bench, name) {
  return bench.page.locator("#tabs .tab > button:first-child", { hasText: new RegExp(`^${name}( |$)`) });
}

/** What this browser keeps, the oldest document first. */
function texts(bench) {
  return bench.page.evaluate(() => {
    const names = Object.keys(localStorage).filter((name) => name.startsWith("flylead.document."));
    const kept = names.map((name) => JSON.parse(localStorage.getItem(name)).document);
    return kept.sort((one, other) => one.opened - other.opened).map(({ text }) => text);
  });
}
