/** Tests Run: it runs the text on the screen, without traces of an earlier run; and the terminal meanwhile. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";

describe("a run", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
  });
  afterEach(() => app.close());

  test("takes modules as they are now, and begins without the variables of the one before", async () => {
    await openModule("VALUE = 1\n");
    assert.equal(await app.exec("import sensor\nprint(sensor.VALUE)\nleft = 1"), "1");
    await showModule();
    await app.write("VALUE = 2\n");
    await app.page.keyboard.press("Control+s");
    await new Files(app).waitForSaved("sensor.py");
    assert.equal(await app.exec("import sensor\nprint(sensor.VALUE, 'left' in globals())"), "2 False");
  });

  test("begins once, however fast and often Run is pressed", async () => {
    await app.write("import time\nfor n in range(4):\n    print('round', n)\n    time.sleep(0.5)\nprint('end')");
    for (let time = 0; time < 4; time++) await app.page.keyboard.press("Control+Enter");
    await app.waitForText("round 0");
    await app.waitForState("running");
    await app.waitForText("round 3");
    await app.waitForState("running");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    const screen = (await app.screen()).join("\n");
    assert.equal(screen.match(/round 0/g).length, 1, screen);
    assert.ok(await app.page.locator("#toast").isHidden());
  });

  test("keeps what was before where the person has set it so", async () => {
    await app.button("Settings").click();
    await app.page.getByRole("checkbox", { name: "Reset the board softly before Run" }).uncheck();
    await app.shot("settings");
    await app.page.keyboard.press("Escape");
    await app.exec("left = 6");
    assert.equal(await app.exec("print(left * 7)"), "42");
    await app.open();
    await app.button("Settings").click();
    assert.ok(!(await app.page.getByRole("checkbox", { name: "Reset the board softly before Run" }).isChecked()), "the setting is kept");
  });

  test("asks about modules that are not saved: saves them, leaves them, or does not begin", async () => {
    await openModule("VALUE = 1\n");
    await app.write("VALUE = 2\n");
    await new Files(app).waitForUnsaved("sensor.py");
    await app.page.locator("#tabs button").first().click();
    const dialog = app.page.getByRole("dialog", { name: "Save before it runs?" });
    await app.run("import sensor\nprint('the value is', sensor.VALUE)");
    await dialog.getByText("sensor.py is not saved").waitFor();
    await app.shot("save-before-run");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(!(await app.screen()).some((row) => row.includes("the value is")));
    await app.page.keyboard.press("Control+Enter");
    await dialog.getByRole("button", { name: "Run without" }).click();
    await app.waitForText("the value is 1");
    await app.waitForState("ready");
    await app.page.keyboard.press("Control+Enter");
    await dialog.getByRole("button", { name: "Save and run" }).click();
    await app.waitForText("the value is 2");
    await app.waitForState("ready");
    await new Files(app).waitForSaved("sensor.py");
  });

  test("that waits for input has the focus in the terminal, unless the person is at work", async () => {
    await app.run("name = input('Who? ')\nprint('Hello', name)");
    await app.waitForText("Who?");
    await app.page.waitForFunction(() => document.activeElement.closest("#terminal"));
    await app.page.keyboard.type("Ada\n");
    await app.waitForText("Hello Ada");
    await app.waitForState("ready");
    await app.run("import time\ninput('First? ')\ntime.sleep(2)\nname = input('And now? ')");
    await app.waitForText("First?");
    await app.page.waitForFunction(() => document.activeElement.closest("#terminal"));
    await app.page.keyboard.press("Enter");
    await app.page.locator("#editor .cm-content").click();
    await app.waitForText("And now?");
    await app.page.waitForTimeout(1000);
    assert.equal(await app.focused(), "editor");
    await app.page.keyboard.press("Control+.");
    await app.waitForText("stopped");
    await app.waitForState("ready");
  });

  test("that is stopped in input() names the program's own line", async () => {
    await app.run("one = 1\ntwo = 2\nname = input('Who? ')");
    await app.waitForText("Who?");
    await app.page.keyboard.press("Control+.");
    await app.waitForText("stopped in line 3");
  });

  test("ends what it has set in the terminal: the mouse, a hidden cursor, a color", async () => {
    await app.run("print('\\x1b[?1003h\\x1b[?1006h\\x1b[?25l\\x1b[31mred')");
    await app.waitForText("finished after");
    await app.waitForState("ready");
    const classes = await app.page.locator("#terminal .screen:not([hidden]) .xterm").getAttribute("class");
    assert.ok(!classes.includes("enable-mouse-events"), classes);
    await app.page.locator("#terminal").click();
    await app.page.keyboard.type("1+1\n");
    await app.waitForText("2");
    await app.page.locator("#terminal .screen:not([hidden]) .xterm-cursor").first().waitFor({ state: "attached" });
    assert.ok(!(await app.screen()).some((row) => row.includes("[<")), "no report of the mouse was typed");
  });

  async function openModule(text) {
    const files = await Files.open(app);
    await files.newFile("sensor.py");
    await app.write(text);
    await app.page.keyboard.press("Control+s");
    await files.waitForSaved("sensor.py");
  }

  function showModule() {
    return new Files(app).show("sensor.py");
  }
});

describe("the clipboard in the terminal", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await app.connect();
  });
  afterEach(() => app.close());

  test("Ctrl+V pastes, Ctrl+C copies what is selected, and stops a program when nothing is", async () => {
    await app.page.evaluate(() => navigator.clipboard.writeText("print('pa' + 'sted')"));
    await app.page.locator("#terminal").click();
    await app.page.keyboard.press("Control+v");
    await app.waitForText("print('pa' + 'sted')");
    await app.page.keyboard.press("Enter");
    await app.waitForText("pasted");
    await app.run("import time\nprint('going')\ntime.sleep(600)");
    await app.waitForText("going");
    const row = app.page.locator("#terminal .screen:not([hidden]) .xterm-rows > div", { hasText: /^going/ }).last();
    const { x, y } = await row.boundingBox();
    await app.page.mouse.dblclick(x + 10, y + 6); // What takes the pointer is a layer above the row.
    await app.page.keyboard.press("Control+c");
    await app.page.waitForFunction(async () => (await navigator.clipboard.readText()) === "going");
    assert.equal(await app.page.evaluate(() => document.body.dataset.state), "running", "copying stops nothing");
    await app.page.keyboard.press("Control+c");
    await app.waitForText("── stopped");
    await app.waitForState("ready");
  });
});
