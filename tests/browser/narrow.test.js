/** The page where there is little room: phones, tablets, small laptops. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";
import { cutOff, WIDTHS } from "./narrow.js";

describe("the page", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("has Run, Stop and every other button of its heads whole on the screen, at every width", async () => {
    const app = await browser.page();
    await app.connect();
    for (const width of WIDTHS) {
      await app.page.setViewportSize({ width, height: 740 });
      assert.deepEqual(await cutOff(app), [], `${width} pixels, ready`);
      assert.ok(await app.page.locator("#run").isVisible(), `Run at ${width}`);
    }
    await app.run("import time\nprint('going')\ntime.sleep(600)");
    await app.waitForText("going");
    for (const width of WIDTHS) {
      await app.page.setViewportSize({ width, height: 740 });
      assert.deepEqual(await cutOff(app), [], `${width} pixels, running`);
      assert.ok(await app.page.locator("#stop").isVisible(), `Stop at ${width}`);
    }
    await app.page.setViewportSize({ width: 320, height: 568 });
    await app.button("Stop").click();
    await app.waitForText("stopped");
    await app.waitForState("ready");
    assert.ok(await app.page.locator("#run").isVisible());
    await app.close();
  });

  test("says legibly that a program runs, also under the pointer", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const app = await browser.page({ colorScheme });
      await app.connect();
      await app.run("import time\nprint('going')\ntime.sleep(600)");
      await app.waitForText("going");
      await app.page.locator("#run").hover();
      assert.ok((await contrast(app, "#run")) >= 4.5, `${colorScheme}: ${await contrast(app, "#run")}`);
      await app.button("Stop").click();
      await app.waitForState("ready");
      await app.close();
    }
  });

  test("lays the files over the program on a phone, and takes them away when one is opened", async () => {
    const app = await browser.page({ viewport: { width: 360, height: 740 } });
    await app.connect();
    await app.exec("open('/notes.py', 'w').write('# a note')");
    const files = await Files.open(app);
    const [panel, editor] = await Promise.all(["#files", "#editor"].map((id) => app.page.locator(id).boundingBox()));
    assert.ok(panel.x <= editor.x + 1 && panel.width < editor.width + 1 && editor.width > 300, "it takes no room from the program");
    await app.shot("phone-files");
    await files.row("/notes.py").click();
    await app.page.locator("#files").waitFor({ state: "hidden" });
    assert.match(await app.page.locator(".cm-content").innerText(), /# a note/);
    await app.close();
  });

  test("folds the board away and back, and opens it when something runs there", async () => {
    const app = await browser.page({ viewport: { width: 360, height: 740 } });
    const board = app.page.locator("#board");
    const toggle = app.page.locator("#board-toggle");
    await app.connect();
    await toggle.click();
    assert.ok(await board.isHidden());
    assert.equal(await toggle.getAttribute("aria-expanded"), "false");
    await app.open();
    assert.ok(await board.isHidden(), "it stays so over a reload");
    await app.run("print('to be', 'seen')");
    await app.waitForText("to be seen");
    assert.ok(await board.isVisible());
    await app.page.locator("#tool-zylisp").click();
    await app.page.getByLabel("Code to evaluate").waitFor();
    assert.ok(await board.isHidden(), "Zylisp needs no board");
    await app.page.locator("#tool-program").click();
    await board.waitFor();
    await app.close();
  });
});

/** The contrast of a button's text with what is behind it (WCAG 2.2, relative luminance and contrast ratio). */
function contrast({ page }, selector) {
  return page.locator(selector).evaluate((button) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const shown = (...colours) => {
      for (const colour of colours) (canvas.fillStyle = colour), canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const head = getComputedStyle(button.closest(".head")).backgroundColor;
    const { backgroundColor, color } = getComputedStyle(button);
    const [one, other] = [shown(head, backgroundColor), shown(head, backgroundColor, color)].map(luminance).sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  });
}
