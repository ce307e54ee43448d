/** The page in German and in Spanish: every part of it, with nothing left in English. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glimpse } from "./axe.js";
import { startIndex } from "./index.js";
import { cutOff, cutShort, WIDTHS } from "./narrow.js";
import { englishIn, filled, textsIn } from "./texts.js";

describe("the language of the page", () => {
  let index, browser, english;
  before(async () => {
    english = textsIn("en");
    index = await startIndex();
    browser = await startBrowser({ index: index.url });
  });
  after(async () => {
    await browser?.close();
    await index?.close();
  });

  for (const language of ["de", "es"]) {
    test(`is the browser's first one that the page knows, in all of its parts: ${language}`, async () => {
      const texts = textsIn(language);
      const app = await browser.page({ locale: language });
      const { page } = app;
      const see = async (name) => {
        assert.deepEqual(await englishIn(app, english, texts), [], name);
        if (language === "de") await glimpse(app, `de-${name}`);
      };
      const press = (name) => page.getByRole("button", { name, exact: true }).click();
      const hands = { press, page, see, close: texts.common.close };
      assert.equal(await page.locator("html").getAttribute("lang"), language);
      assert.equal(await page.title(), texts.page.title);
      await see("start");
      await press(texts.page.startBoard);
      await app.waitForState("ready");
      assert.equal(await page.locator("#board-state").textContent(), texts.board.ready);

      await app.run("print(1)");
      await app.waitForText(texts.board.finished);
      await app.waitForState("ready");
      await app.run("print(1)\n1/0");
      await page.locator("#problem button.link", { hasText: filled(texts.program.line, { line: 2 }) }).waitFor();
      await app.waitForState("ready");
      await see("error");

      await press(texts.page.files);
      await page.getByRole("button", { name: texts.files.listBoardAgain }).waitFor();
      await page.locator("#files .space", { hasText: filled(texts.files.free, { size: "" }) }).waitFor();
      await app.waitForState("ready");
      await press(texts.files.newFile);
      await page.getByLabel(texts.files.name, { exact: true }).fill("main.py");
      await see("new-file");
      await press(texts.files.create);
      await page.locator("#tabs [aria-current]", { hasText: "main.py" }).waitFor();
      await app.waitForState("ready");
      await app.write("import time\nprint(time)\n");
      await page.locator("#tabs .unsaved", { hasText: texts.program.unsaved }).waitFor();
      await press(texts.files.find);
      await page.locator(".search input").fill("time");
      await page.keyboard.press("Enter");
      await page.locator(".search .hint", { hasText: texts.files.lines.other.replace("#", "2") }).waitFor();
      await app.waitForState("ready");
      await see("files");
      await wholeAtEachWidth(app, language);

      await seeDialog(hands, "settings", texts.page.settings);
      await seeDialog(hands, "guide", texts.page.guide);
      await page.locator("#shortcuts").click();
      await seeDialog(hands, "keys");
      await press(texts.page.info);
      await page.locator(".device dt", { hasText: texts.device.firmware }).waitFor();
      await page.locator(".device .asking").waitFor({ state: "detached" });
      await seeDialog(hands, "device");
      await app.waitForState("ready");
      await press(texts.page.packages);
      await page.locator(".packages .found", { hasText: filled(texts.packages.all, { count: 3 }) }).waitFor();
      await page.getByLabel(texts.packages.wanted).fill("loud");
      await page.locator(".packages-list li").waitFor();
      await seeDialog(hands, "packages");
      await app.waitForState("ready");

      await press(texts.page.plot);
      await page.locator("#plot .hint").waitFor();
      await see("plot");
      await page.locator("#debug").click();
      await page.locator("#debugger[data-program=stopped] .debug-where", { hasText: texts.debug.reasons.entry }).waitFor();
      await page.locator("#debugger [data-list=locals] li").first().waitFor();
      await see("debugger");
      await press(texts.debug.end);
      await app.waitForState("ready");

      await press(texts.page.experiments);
      await page.locator("#experiments form").waitFor();
      await see("experiments");
      await press(texts.page.agent);
      await page.locator("#agent [data-step=begin]").waitFor();
      await see("agent");
      await page.getByLabel(texts.agent.task).fill("Blink");
      await press(texts.agent.begin);
      await page.locator("#agent [data-step=outbox]:not([hidden])").waitFor();
      await app.waitForState("ready");
      await see("agent-message");
      await press("Zylisp");
      await page.getByLabel(texts.zylisp.code).fill("(missing 1)");
      await page.keyboard.press("Enter");
      await page.locator(".transcript .trace li").first().waitFor();
      await see("zylisp");
      await app.close();
    });
  }

  test("is chosen in the settings, and spoken when the page is loaded again", async () => {
    const { page, ...texts } = textsIn("de");
    const app = await browser.page();
    await app.button("Settings").click();
    await app.page.getByLabel("Language").selectOption("Deutsch");
    await app.button("Load the page again").click();
    await app.page.getByRole("button", { name: page.startBoard }).waitFor();
    await app.page.locator("#editor .cm-content").waitFor({ state: "attached" });
    assert.equal(await app.page.locator("html").getAttribute("lang"), "de");
    await app.page.getByRole("button", { name: page.settings }).click();
    assert.equal(await app.page.getByLabel(texts.dialogs.language).inputValue(), "de");
    await app.close();
  });

  test("is English where another one cannot be loaded", async () => {
    const app = await browser.page({ locale: "de", before: (context) => context.route(/\/de-[^/]*\.js$/, (route) => route.abort()) });
    app.forgive(/Failed to load resource/);
    await app.button("Start the board").waitFor();
    assert.equal(await app.page.locator("html").getAttribute("lang"), "en");
    await app.close();
  });

  test("has the signs by which the guide's cures are found in what it says", async () => {
    for (const language of ["en", "de", "es"]) {
      const { common, experiments, program } = textsIn(language);
      assert.ok(program.noRoom.includes(common.signOfNoRoom), language);
      assert.ok(filled(experiments.silence, { sign: common.signOfSilence, command: "START" }).startsWith(common.signOfSilence), language);
    }
  });
});

/** Looks at a dialog, opened by a button if it is not open yet, and closes it. */
async function seeDialog({ press, page, see, close }, name, opener) {
  if (opener) await press(opener);
  await page.getByRole("dialog").waitFor();
  await see(name);
  await press(close);
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

async function wholeAtEachWidth(app, language) {
  const before = app.page.viewportSize();
  for (const width of WIDTHS) {
    await app.page.setViewportSize({ width, height: 740 });
    assert.deepEqual(await cutOff(app), [], `${width} pixels`);
    if (width >= 360) assert.deepEqual(await cutShort(app), [], `${width} pixels`);
  }
  await app.page.setViewportSize({ width: 1400, height: 900 });
  await app.shot(`${language}-files-1400`);
  await app.page.setViewportSize(before);
}
