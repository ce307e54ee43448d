/** How the page looks and reads: light and dark, wide and narrow, for the eye, the keyboard and a screen reader. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./bench.js";
import { exported, startDevice } from "./device.js";
import { Files } from "./files.js";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDE = { width: 1280, height: 800 };
const UPRIGHT = { width: 768, height: 1024 };

describe("the look of the page", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  for (const colorScheme of ["light", "dark"]) {
    for (const [shape, viewport] of Object.entries({ wide: WIDE, upright: UPRIGHT })) {
      test(`every view is readable: ${colorScheme}, ${shape}`, async () => {
        const bench = await browser.page({ colorScheme, viewport });
        await view(bench, `connect-${shape}-${colorScheme}`);
        await bench.connect();
        await bench.page.getByLabel("Begin or open a program").selectOption("Hello");
        await bench.button("Run").click();
        await bench.waitForText("finished after");
        await bench.waitForState("ready");
        await view(bench, `run-${shape}-${colorScheme}`);
        await bench.page.getByLabel("Begin or open a program").selectOption("A mistake to find");
        await bench.button("Run").click();
        await bench.page.locator("#problem").waitFor();
        await bench.waitForState("ready");
        await view(bench, `problem-${shape}-${colorScheme}`);
        await showFiles(bench);
        await view(bench, `files-${shape}-${colorScheme}`);
        await showAgent(bench);
        await view(bench, `agent-${shape}-${colorScheme}`);
        await showZylisp(bench);
        await view(bench, `zylisp-${shape}-${colorScheme}`);
        await bench.page.locator("#tool-program").click();
        await showExperiment(bench);
        await view(bench, `experiments-${shape}-${colorScheme}`);
        await bench.button("Table").click();
        await view(bench, `table-${shape}-${colorScheme}`);
        await bench.close();
      });
    }
  }

  for (const colorScheme of ["light", "dark"]) {
    test(`the plot, every dialog and what is said in passing are readable: ${colorScheme}`, async () => {
      const bench = await browser.page({ colorScheme });
      const see = (name) => view(bench, `${name}-${colorScheme}`);
      const picking = bench.page.waitForEvent("filechooser");
      await bench.page.locator("#begin").selectOption("open");
      await (await picking).setFiles({ name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from([0xff, 0xd8, 0xff]) });
      await bench.page.locator("#toast", { hasText: "photo.jpg is no text." }).waitFor();
      await see("toast");
      await bench.button("Dismiss").click();
      await bench.page.locator("#toast").waitFor({ state: "hidden" });
      await bench.page.getByLabel("Address").fill("127.0.0.1:9");
      await bench.button("Connect").click();
      await bench.page.locator("#failure").waitFor();
      bench.forgive(/WebSocket connection/);
      await see("failure");
      await bench.connect();
      await bench.button("Plot").click();
      await bench.page.locator("#plot .hint").waitFor();
      await see("plot-empty");
      await bench.run("import math\nfor n in range(300):\n    print('sine:', math.sin(n / 20), 'cosine:', math.cos(n / 20), 'n:', n / 300)");
      await bench.page.locator("#plot canvas").waitFor();
      await bench.waitForState("ready");
      await see("plot");
      await bench.button("Plot").click();
      await seeFileDialogs(bench, see);
      await seeAgentDialogs(bench, see);
      await bench.page.locator("#tool-program").click();
      await showExperiment(bench);
      await bench.page.getByRole("checkbox", { name: "Compare run_800" }).check();
      await bench.page.getByRole("checkbox", { name: "Compare run_5000" }).check();
      await bench.page.locator(".compare:not([hidden])").waitFor();
      await see("compare");
      await bench.button("Delete run_800").click();
      await dialog(bench, see, "delete-run");
      await bench.page.locator("#tool-zylisp").click();
      await bench.page.getByLabel("Where it is evaluated").selectOption("On the network");
      await see("zylisp-server");
      await bench.button("Add a board").click();
      await see("add-board");
      await bench.close();
    });
  }

  test("everything can be done by keyboard alone, and the focus is always somewhere", async () => {
    const bench = await browser.page();
    const { keyboard } = bench.page;
    const press = async (...keys) => {
      for (const key of keys) await keyboard.press(key);
    };
    assert.deepEqual(await walk(bench, 11), ["tool-program", "tool-experiments", "tool-agent", "tool-zylisp", "files-toggle", "begin", "save", "run", "debug", "stop", "editor"], "the order is that of reading");
    await press("Tab");
    assert.equal(await bench.focused(), "editor", "Tab indents");
    await press("Control+a", "Delete");
    await keyboard.insertText("print('by', 'keyboard')");
    await press("Escape", "Tab");
    assert.equal(await bench.focused(), "divider", "Escape then Tab leaves the editor");
    await press("Tab");
    assert.equal(await bench.focused(), "connect-browser");
    await press("Enter");
    await bench.waitForState("ready");
    await bench.waitForText(">>>");
    assert.equal(await bench.focused(), "terminal", "a connected board has the focus");
    await press("Control+Enter");
    await bench.waitForText("by keyboard");
    await bench.waitForState("ready");
    await press("Escape", "Shift+Tab");
    assert.equal(await bench.focused(), "reset", "Escape then Shift+Tab leaves the terminal");
    await press("F6");
    assert.equal(await bench.focused(), "editor");
    await press("F6");
    assert.equal(await bench.focused(), "terminal");
    await bench.close();
  });

  test("the focus is always visible", async () => {
    const bench = await browser.page();
    for (const id of ["begin", "run", "divider", "connect-browser", "socket-address"]) {
      await bench.page.locator(`#${id}`).focus();
      await bench.page.keyboard.press("Shift"); // The keyboard is in use: rings are shown.
      const outline = await bench.page.locator(`#${id}`).evaluate((element) => getComputedStyle(element).outlineStyle);
      assert.equal(outline, "solid", `#${id} shows its focus`);
    }
    await bench.close();
  });

  test("a browser without Web Serial says what to do instead", async () => {
    const bench = await browser.page({ without: "serial" });
    assert.ok(await bench.button("Choose a port").isHidden());
    await bench.page.getByText("Chrome, Edge, Opera and Firefox from version 151 on can").waitFor();
    await bench.shot("no-serial");
    await bench.close();
  });

  test("the first load is under 250 kB on the wire, and brings no board", async () => {
    const loaded = [];
    const bench = await browser.page({ onResponse: (response) => loaded.push(response) });
    await bench.page.waitForLoadState("networkidle");
    const sizes = await Promise.all(loaded.map(async (response) => (await response.request().sizes()).responseBodySize));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`first load: ${loaded.length} files, ${Math.ceil(total / 1000)} kB on the wire`);
    assert.ok(total < 250_000, `${total} bytes`);
    assert.ok(!loaded.some((response) => /micropython/.test(response.url())), "the interpreter waits until it is wanted");
    await bench.close();
  });
});

/** The files of a small project, with one of them open and changed on the board meanwhile. */
async function showFiles(bench) {
  const files = await Files.open(bench);
  await files.drop({ "lib/sensor.py": "def read():\n    return 21.5\n", "main.py": "import sensor\n\nprint(sensor.read())\n", "readme.txt": "" });
  await files.waitForRow("/lib");
  await files.row("/lib").click();
  await files.waitForRow("/lib/sensor.py");
  await files.row("/main.py").click();
  await bench.page.locator("#tabs [aria-current]", { hasText: "main.py" }).waitFor();
  await bench.waitForState("ready");
  await bench.exec("with open('/main.py', 'w') as f: f.write('print(1)\\n')");
  await files.show("main.py");
  await bench.write("import sensor\n\nwhile True:\n    print(sensor.read())\n");
  await bench.page.keyboard.press("Control+s");
  await bench.page.locator("#conflict button").first().waitFor();
  await bench.waitForState("ready");
  return files;
}

async function showAgent(bench) {
  await bench.page.locator("#tool-agent").click();
  await bench.page.getByLabel("Task").fill("Print the temperature in Fahrenheit");
  await bench.button("Begin").click();
  await bench.page.locator("[data-step=outbox]:not([hidden])").waitFor();
  await bench.page.locator("[name=reply]").fill(`[EDIT_FILE path="lib/sensor.py" start_line="2" end_line="2"]
    return 21.5 * 9 / 5 + 32
[/EDIT_FILE]
[RUN_COMMAND]
print("a look at it")
[/RUN_COMMAND]
`);
  await bench.button("See what it would do").click();
  await bench.page.locator(".preview .cm-deletedChunk").waitFor();
  await bench.waitForState("ready");
}

async function showZylisp(bench) {
  await bench.page.locator("#tool-zylisp").click();
  const code = bench.page.getByLabel("Code to evaluate");
  const sources = ["(define square (lambda (n) (* n n)))", '(println "twelve squared") (square 12)', "(square nothing)"];
  for (const [at, source] of sources.entries()) {
    await code.fill(source);
    await code.press("Enter");
    await bench.page.locator(".transcript :is(.value, .failed)").nth(at).waitFor();
    await bench.page.locator("#zylisp [data-do=stop][aria-disabled=true]").waitFor();
  }
}

async function seeFileDialogs(bench, see) {
  const files = await showFiles(bench);
  await bench.page.locator("#conflict").getByRole("button", { name: "Compare" }).click();
  await dialog(bench, see, "dialog-diff");
  await bench.page.locator("#tabs").getByRole("button", { name: /^Close/ }).first().click();
  await dialog(bench, see, "dialog-close");
  await bench.button("New file").click();
  await dialog(bench, see, "dialog-name");
  await bench.page.locator("[data-path='/lib']").press("F2");
  await dialog(bench, see, "dialog-rename");
  await bench.page.locator("[data-path='/lib']").press("Delete");
  await dialog(bench, see, "dialog-delete");
  await files.drop({ "main.py": "", "readme.txt": "" });
  await dialog(bench, see, "dialog-replace");
  await bench.page.locator("#tabs button").first().click();
  await bench.page.locator("#save").click();
  await dialog(bench, see, "dialog-save");
}

async function seeAgentDialogs(bench, see) {
  await showAgent(bench);
  await bench.button("Do what is accepted").click();
  await bench.page.locator(".turn").waitFor();
  await bench.waitForState("ready");
  await see("agent-history");
  const outbox = await bench.page.locator(".agent-body details pre").textContent();
  await bench.page.locator("[name=reply]").fill(`${outbox}\n[MESSAGE]\nHello.\n[/MESSAGE]\n`);
  await bench.button("See what it would do").click();
  await dialog(bench, see, "dialog-copy");
  await bench.button("New task").click();
  await dialog(bench, see, "dialog-task");
}

/** Looks at the dialog that is open, and leaves it. */
async function dialog(bench, see, name) {
  await bench.page.getByRole("dialog").waitFor();
  await see(name);
  await bench.page.keyboard.press("Escape");
  await bench.page.getByRole("dialog").waitFor({ state: "detached" });
  await bench.waitForState("ready");
}

async function showExperiment(bench) {
  await startDevice(bench);
  await exported(bench, "run_5000");
  await exported(bench, "run_800");
  await bench.page.locator("#experiments canvas").waitFor();
}

/** Takes a picture and lets axe look for what a person with a disability would stumble over. */
async function view(bench, name) {
  await bench.shot(name);
  await bench.page.evaluate(AXE);
  const { violations } = await bench.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), [], name);
}

/** The next places that Tab goes to. */
async function walk(bench, steps) {
  const places = [];
  for (let step = 0; step < steps; step++) {
    await bench.page.keyboard.press("Tab");
    places.push(await bench.focused());
  }
  return places;
}
