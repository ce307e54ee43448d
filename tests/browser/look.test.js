/**
 * Tests the look and the words of the page: light and dark, wide and narrow, for the eye, the
 * keyboard and a screen reader.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { glance, view } from "./axe.js";
import { exported, startDevice } from "./device.js";
import { Files } from "./files.js";

describe("the look of the page", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("every view is readable, at every width, light and dark", async () => {
    const app = await browser.page();
    await view(app, "connect");
    await app.connect();
    await app.page.getByLabel("Open an example").selectOption("Hello");
    await app.button("Run").click();
    await app.waitForText("finished after");
    await app.waitForState("ready");
    await view(app, "run");
    await app.page.getByLabel("Open an example").selectOption("A mistake to find");
    await app.button("Run").click();
    await app.page.locator("#problem").waitFor();
    await app.waitForState("ready");
    await view(app, "problem");
    await showFiles(app);
    await view(app, "files");
    await showAgent(app);
    await view(app, "agent");
    await showZylisp(app);
    await view(app, "zylisp");
    await app.page.locator("#tool-program").click();
    await showExperiment(app);
    await view(app, "experiments");
    await app.button("Table").click();
    await view(app, "table");
    await app.close();
  });

  test("the plot, every dialog and what is said in passing are readable, at every width, light and dark", async () => {
    const app = await browser.page();
    const see = (name) => glance(app, name);
    const picking = app.page.waitForEvent("filechooser");
    await app.page.locator("#begin").selectOption("open");
    await (await picking).setFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from([0xff, 0xd8, 0xff]) });
    await app.page.locator("#toast", { hasText: "photo.jpg is no text." }).waitFor();
    await see("toast");
    await app.button("Dismiss").click();
    await app.page.locator("#toast").waitFor({ state: "hidden" });
    await app.page.getByLabel("Address").fill("127.0.0.1:9");
    await app.button("Connect").click();
    await app.page.locator("#failure").waitFor();
    app.forgive(/WebSocket connection/);
    await see("failure");
    await app.connect();
    await app.button("Plot").click();
    await app.page.locator("#plot .hint").waitFor();
    await see("plot-empty");
    await app.run("import math\nfor n in range(300):\n    print('sine:', math.sin(n / 20), 'cosine:', math.cos(n / 20), 'n:', n / 300)");
    await app.page.locator("#plot canvas").waitFor();
    await app.waitForState("ready");
    await see("plot");
    await app.button("Plot").click();
    await app.button("Info").click();
    await app.page.locator(".facts dt").first().waitFor();
    await app.waitForState("ready");
    await dialog(app, see, "about");
    await app.button("All keys").click();
    await dialog(app, see, "keys");
    await seeFileDialogs(app, see);
    await seeAgentDialogs(app, see);
    await app.page.locator("#tool-program").click();
    await showExperiment(app);
    await app.page.getByRole("checkbox", { name: "Compare run_800" }).check();
    await app.page.getByRole("checkbox", { name: "Compare run_5000" }).check();
    await app.page.locator(".compare:not([hidden])").waitFor();
    await see("compare");
    await app.button("Delete run_800").click();
    await dialog(app, see, "delete-run");
    await app.page.locator("#tool-zylisp").click();
    await app.page.getByLabel("Where it is evaluated").selectOption("On the network");
    await see("zylisp-server");
    await app.button("Add a board").click();
    await see("add-board");
    await app.close();
  });

  test("everything can be done by keyboard alone, and the focus is always somewhere", async () => {
    const app = await browser.page();
    const { keyboard } = app.page;
    const press = async (...keys) => {
      for (const key of keys) await keyboard.press(key);
    };
    assert.deepEqual(await walk(app, 15), ["board-toggle", "tool-program", "tool-experiments", "tool-agent", "tool-zylisp", "settings", "files-toggle", "begin", "examples", "save", "run", "debug", "", "", "editor"], "the order is that of reading");
    await press("Tab");
    assert.equal(await app.focused(), "editor", "Tab indents");
    await press("Control+a", "Delete");
    await keyboard.insertText("print('by', 'keyboard')");
    await press("Escape", "Tab");
    assert.equal(await app.focused(), "divider", "Escape then Tab leaves the editor");
    await press("Tab");
    assert.equal(await app.focused(), "connect-browser");
    await press("Enter");
    await app.waitForState("ready");
    await app.waitForText(">>>");
    assert.equal(await app.focused(), "terminal", "a connected board has the focus");
    await press("Control+Enter");
    await app.waitForText("by keyboard");
    await app.waitForState("ready");
    await press("Escape", "Shift+Tab");
    assert.equal(await app.focused(), "reset", "Escape then Shift+Tab leaves the terminal");
    await press("F6");
    assert.equal(await app.focused(), "editor");
    await press("F6");
    assert.equal(await app.focused(), "terminal");
    await app.close();
  });

  test("the focus is always visible", async () => {
    const app = await browser.page();
    for (const id of ["begin", "run", "divider", "connect-browser", "socket-address"]) {
      await app.page.locator(`#${id}`).focus();
      await app.page.keyboard.press("Shift"); // The keyboard is in use: rings are shown.
      const outline = await app.page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).outlineStyle);
      assert.equal(outline, "solid", `#${id} shows its focus`);
    }
    await app.close();
  });

  test("a browser without Web Serial says what to do instead", async () => {
    const app = await browser.page({ without: "serial" });
    assert.ok(await app.button("Choose a port").isHidden());
    await app.page.getByText("Chrome, Edge, Opera and Firefox from version 151 on can").waitFor();
    await app.shot("no-serial");
    await app.close();
  });

  test("the first load is under 150 kB on the wire, and brings no board", async () => {
    const loaded = [];
    const app = await browser.page({ onResponse: (response) => loaded.push(response) });
    await app.page.waitForLoadState("networkidle");
    const sizes = await Promise.all(loaded.map(async (response) => (await response.request().sizes()).responseBodySize));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`first load: ${loaded.length} files, ${Math.ceil(total / 1000)} kB on the wire`);
    assert.ok(total < 150_000, `${total} bytes`);
    assert.ok(!loaded.some((response) => /micropython|\.wasm/.test(response.url())), "the interpreter waits until it is wanted, and so does what talks to boards");
    await app.close();
  });
});

/** The files of a small project, with one of them open and changed on the board meanwhile. */
async function showFiles(app) {
  const files = await Files.open(app);
  await files.drop({ "lib/sensor.py": "def read():\n    return 21.5\n", "main.py": "import sensor\n\nprint(sensor.read())\n", "readme.txt": "" });
  await files.waitForRow("/lib");
  await files.row("/lib").click();
  await files.waitForRow("/lib/sensor.py");
  await files.row("/main.py").click();
  await app.page.locator("#tabs [aria-current]", { hasText: "main.py" }).waitFor();
  await app.waitForState("ready");
  await app.exec("with open('/main.py', 'w') as f: f.write('print(1)\\n')");
  await files.show("main.py");
  await app.write("import sensor\n\nwhile True:\n    print(sensor.read())\n");
  await app.page.keyboard.press("Control+s");
  await app.page.locator("#conflict button").first().waitFor();
  await app.waitForState("ready");
  return files;
}

async function showAgent(app) {
  await app.page.locator("#tool-agent").click();
  await app.page.getByLabel("Task").fill("Print the temperature in Fahrenheit");
  await app.button("Begin").click();
  await app.page.locator("[data-step=outbox]:not([hidden])").waitFor();
  await app.page.locator("[name=reply]").fill(`[EDIT_FILE path="lib/sensor.py" start_line="2" end_line="2" expect="return 21.5"]
    return 21.5 * 9 / 5 + 32
[/EDIT_FILE]
[RUN_COMMAND]
print("a look at it")
[/RUN_COMMAND]
`);
  await app.button("See what it would do").click();
  await app.page.locator(".preview .cm-deletedChunk").waitFor();
  await app.waitForState("ready");
}

async function showZylisp(app) {
  await app.page.locator("#tool-zylisp").click();
  const code = app.page.getByLabel("Code to evaluate");
  const sources = ["(define square (lambda (n) (* n n)))", '(println "twelve squared") (square 12)', "(square nothing)"];
  for (const [at, source] of sources.entries()) {
    await code.fill(source);
    await code.press("Enter");
    await app.page.locator(".transcript :is(.value, .failed)").nth(at).waitFor();
    await app.page.locator("#zylisp [data-do=stop][aria-disabled=true]").waitFor();
  }
}

async function seeFileDialogs(app, see) {
  const files = await showFiles(app);
  await app.button("Find in files").click();
  await app.page.locator(".search input").fill("sensor");
  await app.page.keyboard.press("Enter");
  await app.page.locator(".search .hint", { hasText: "lines" }).waitFor();
  await app.waitForState("ready");
  await see("find-in-files");
  await app.button("Find in files").click();
  await app.page.locator("#conflict").getByRole("button", { name: "Compare" }).click();
  await dialog(app, see, "dialog-diff");
  await app.page.locator("#tabs").getByRole("button", { name: /^Close/ }).first().click();
  await dialog(app, see, "dialog-close");
  await app.button("New file").click();
  await dialog(app, see, "dialog-name");
  await app.page.locator("[data-path='/lib']").press("F2");
  await dialog(app, see, "dialog-rename");
  await app.page.locator("[data-path='/lib']").press("Delete");
  await dialog(app, see, "dialog-delete");
  await files.drop({ "main.py": "", "readme.txt": "" });
  await dialog(app, see, "dialog-replace");
  await app.page.locator("#tabs button").first().click();
  await app.page.locator("#save").click();
  await dialog(app, see, "dialog-save");
}

async function seeAgentDialogs(app, see) {
  await showAgent(app);
  await app.button("Do what is accepted").click();
  await app.page.locator(".turn").waitFor();
  await app.waitForState("ready");
  await see("agent-history");
  const outbox = await app.page.locator(".agent-body details pre").textContent();
  await app.page.locator("[name=reply]").fill(`${outbox}\n[MESSAGE]\nHello.\n[/MESSAGE]\n`);
  await app.button("See what it would do").click();
  await dialog(app, see, "dialog-copy");
  await app.button("New task").click();
  await dialog(app, see, "dialog-task");
}

/** Looks at the dialog that is open, and leaves it. */
async function dialog(app, see, name) {
  await app.page.getByRole("dialog").waitFor();
  await see(name);
  await app.page.keyboard.press("Escape");
  await app.page.getByRole("dialog").waitFor({ state: "detached" });
  await app.waitForState("ready");
}

async function showExperiment(app) {
  await startDevice(app, { unsaved: true });
  await exported(app, "run_5000");
  await exported(app, "run_800");
  await app.page.locator("#experiments canvas").waitFor();
}

/** The next places that Tab goes to. */
async function walk(app, steps) {
  const places = [];
  for (let step = 0; step < steps; step++) {
    await app.page.keyboard.press("Tab");
    places.push(await app.focused());
  }
  return places;
}
