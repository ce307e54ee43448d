/** The page where there is little room: phones, tablets, small laptops. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance } from "./axe.js";
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

  test("shows ten lines of the program, and of the terminal, at 200 % zoom", async () => {
    const app = await browser.page({ viewport: { width: 700, height: 450 } });
    await app.connect();
    const line = (await app.page.locator("#editor .cm-line").first().boundingBox()).height;
    for (const part of ["#editor", "#terminal"]) {
      const { height } = await app.page.locator(part).boundingBox();
      assert.ok(height >= 10 * line, `${part}: ${Math.floor(height / line)} lines`);
    }
    assert.deepEqual(await cutOff(app), []);
    await app.shot("zoom-200");
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

  test("gives fingers room and a row of keys on a phone, and the program the screen while the keyboard is up", async () => {
    const app = await browser.page({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await app.connect();
    const small = () => app.page.evaluate(() => {
      const seen = [...document.querySelectorAll("button:not(.link), select")].filter((one) => one.checkVisibility());
      return seen.map((one) => [one.id || one.textContent, one.getBoundingClientRect()]).filter(([, { width, height }]) => width < 43.9 || height < 43.9).map(([name, { width, height }]) => `${name}: ${width} by ${height}`);
    });
    assert.deepEqual(await small(), []);
    assert.deepEqual(await cutOff(app), []);
    await app.write("print");
    const key = (name) => app.page.getByRole("toolbar", { name: "Keys for writing" }).getByRole("button", { name, exact: true });
    for (const name of ["(", '"', '"', ")", "Left", "Left"]) await key(name).tap();
    await app.page.keyboard.insertText("typed");
    assert.equal(await app.page.locator("#editor .cm-line").first().innerText(), 'print("typed")');
    assert.deepEqual(await small(), []);
    await glance(app, "phone-keys");
    await app.page.setViewportSize({ width: 360, height: 400 });
    const { y, height } = await app.page.locator("#editor").boundingBox();
    assert.ok(height > 200, `the editor has ${height} pixels of 400`);
    assert.ok(await key("Tab").isVisible() && y >= 0);
    await app.shot("phone-keyboard");
    await app.close();
  });

  test("shows the tab in front, with 20 files open", async () => {
    const app = await browser.page({ viewport: { width: 820, height: 700 } });
    await app.connect();
    const files = await Files.open(app);
    await files.drop(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`file${n}.py`, `n = ${n}\n`])));
    await files.waitForRow("/file19.py");
    for (let n = 0; n < 20; n++) {
      await files.row(`/file${n}.py`).click();
      await app.page.locator("#tabs [aria-current]", { hasText: `file${n}.py` }).waitFor();
      await app.waitForState("ready");
    }
    const isSeen = () => app.page.evaluate(() => {
      const [tab, bar] = [document.querySelector("#tabs .tab:has([aria-current])"), document.querySelector("#tabs")].map((one) => one.getBoundingClientRect());
      return tab.left >= bar.left - 0.5 && tab.right <= bar.right + 0.5;
    });
    assert.ok(await isSeen(), "the last one");
    await app.page.keyboard.type("x");
    assert.ok(await isSeen(), "after typing");
    await files.row("/file2.py").click();
    await app.page.locator("#tabs [aria-current]", { hasText: "file2.py" }).waitFor();
    assert.ok(await isSeen(), "an early one");
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
    const shown = (...colors) => {
      for (const color of colors) (canvas.fillStyle = color), canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const head = getComputedStyle(button.closest(".head")).backgroundColor;
    const { backgroundColor, color } = getComputedStyle(button);
    const [one, other] = [shown(head, backgroundColor), shown(head, backgroundColor, color)].map(luminance).sort((a, b) => b - a);
    return (one + 0.05) / (other + 0.05);
  });
}
