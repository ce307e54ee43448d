/** The experiments: a device is started, stopped and asked for its log, which is charted, kept, saved and compared. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { startBoard } from "./board.js";
import { exported, run, startDevice } from "./device.js";

describe("the experiments", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
    await startDevice(app);
  });
  afterEach(() => app.close());

  test("a run is started, stopped, exported, charted, shown as a table and downloaded", async () => {
    await run(app, "run_2000");
    await app.button("Start").click();
    await app.waitForText("OK: start");
    await app.waitForState("ready");
    await app.page.locator("#experiments").getByRole("button", { name: "Stop" }).click();
    await app.waitForText("OK: stop");
    await exported(app, "run_2000");
    await app.page.getByText("2,000 rows").waitFor();
    assert.match(await app.page.locator(".proof").innerText(), /verified by CRC-32/);
    await app.page.locator("#experiments canvas").waitFor();
    await waitForLegend(app, ["value", "square"]);
    await app.button("Table").click();
    assert.match(await app.page.locator("#experiments table").innerText(), /row\s+ms\s+value\s+square\s+1\s+0\s+0\s+0\s+2\s+1\s+37\s+1/);
    const coming = app.page.waitForEvent("download");
    await app.button("Download").click();
    const log = (await readFile(await (await coming).path())).toString();
    assert.equal(log.split("\n").length, 2002);
    assert.equal(log.split("\n")[1500], `1499,${(1499 * 37) % 1009},${(1499 * 1499) % 5003}`);
  });

  test("a log that is longer than what is kept here goes to a file as it comes, verified, and so do compared runs", async () => {
    const rows = 80_000;
    await app.page.getByLabel(/^Kept here up to/).fill("1");
    await run(app, `long_${rows}`);
    await app.button("Export").click();
    await app.page.locator("#experiments .fault", { hasText: "has more than the 1 MiB that are kept here" }).waitFor();
    await app.waitForText("OK: export"); // The device knows of no refusal, and sends all of it.
    await app.waitForState("ready");
    await app.page.evaluate(() => delete window.showSaveFilePicker);
    const coming = app.page.waitForEvent("download");
    await app.button("To a file").click();
    const log = (await readFile(await (await coming).path())).toString();
    assert.equal(log.split("\n").length, rows + 2);
    assert.equal(log.split("\n")[rows], `${rows - 1},${((rows - 1) * 37) % 1009},${((rows - 1) * (rows - 1)) % 5003}`);
    await app.page.locator("#experiments .status", { hasText: /long_80000\.csv: 1\.\d MB in .*verified by CRC-32/ }).waitFor();
    await app.waitForState("ready");
    assert.equal(await app.page.locator(".runs li").count(), 0, "it is in the file alone");

    await app.page.evaluate(() => (window.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })));
    await run(app, "short_10");
    await app.button("To a file").click();
    await app.page.locator("#experiments .status", { hasText: "short_10.csv" }).waitFor();
    await app.waitForState("ready");
    const saved = await app.page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle("short_10.csv")).getFile()).text());
    assert.equal(saved.split("\n").length, 12);

    await exported(app, "a_3");
    await exported(app, "b_4");
    await app.page.getByRole("checkbox", { name: "Compare a_3" }).check();
    await app.page.getByLabel("Column to compare").selectOption("value");
    const table = app.page.waitForEvent("download");
    await app.button("Download what is compared").click();
    const file = await table;
    assert.equal(file.suggestedFilename(), "b_4-a_3-value.csv");
    assert.equal((await readFile(await file.path())).toString(), "ms,b_4,a_3\n0,0,0\n1,37,37\n2,74,74\n3,111,\n");
  });

  test("earlier runs are kept over a reload, compared, and saved to a folder as artifacts", async () => {
    await exported(app, "a_300");
    await exported(app, "b_500");
    await app.open();
    await app.page.locator(".runs li").nth(1).waitFor();
    await app.page.getByRole("checkbox", { name: "Compare a_300" }).check();
    await app.page.getByRole("checkbox", { name: "Compare b_500" }).check();
    await app.page.getByLabel("Column to compare").selectOption("square");
    await waitForLegend(app, ["a_300", "b_500"]);
    await app.page.locator("#experiments canvas").waitFor();
    await app.shot("experiments-compared");
    await app.page.locator(".runs .run", { hasText: "b_500" }).click();
    await app.page.evaluate(() => (window.showDirectoryPicker = () => navigator.storage.getDirectory()));
    await app.button("Save to a folder").click();
    await app.page.getByText("Saved as").waitFor();
    const saved = await app.page.evaluate(async () => {
      let folder = await navigator.storage.getDirectory();
      for (const name of ["artifacts", "b_500", "sd"]) folder = await folder.getDirectoryHandle(name);
      return (await (await folder.getFileHandle("log.csv")).getFile()).text();
    });
    assert.equal(saved.split("\n").length, 502);
  });

  test("an export is cancelled, and the board answers afterwards", async () => {
    await run(app, "slow_200000");
    await app.button("Export").click();
    await app.page.locator("#experiments progress").waitFor();
    await app.page.locator("#experiments .transfer").getByRole("button", { name: "Cancel" }).click();
    await app.page.getByText("Export cancelled").waitFor();
    await app.waitForState("ready");
    await app.page.locator("#terminal").click();
    await app.page.keyboard.press("Control+c");
    await app.page.keyboard.type("\nprint('still', 'here')\n");
    await app.waitForText("still here");
  });

  test("the name counts up after an export", async () => {
    await exported(app, "run_099");
    assert.equal(await app.page.getByLabel("Run", { exact: true }).inputValue(), "run_100");
  });

  test("what the device refuses is said in its words", async () => {
    await run(app, "nonsense");
    await app.button("Export").click();
    await app.page.locator("#experiments .fault", { hasText: "there is no run nonsense" }).waitFor();
    await exported(app, "again_100");
  });
});

describe("a recording", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
  });
  afterEach(() => app.close());

  test("of the logger that runs on the board in the page is shown while it goes on, and its log comes whole", async () => {
    await runLogger();
    await run(app, "lab_run001");
    await app.button("Start").click();
    const recording = app.page.locator(".recording");
    await recording.getByText("lab_run001").waitFor();
    await recording.locator(".rows", { hasText: /^[\d,]+ rows$/ }).waitFor();
    await recording.locator(".values", { hasText: /ms \d+\s+value \d+/ }).waitFor();
    await recording.locator(".time", { hasText: /[1-9]/ }).waitFor();
    await app.shot("experiments-recording");
    await app.page.locator("#experiments").getByRole("button", { name: "Stop" }).click();
    await app.page.locator("#experiments .status", { hasText: "Stopped" }).waitFor();
    await recording.waitFor({ state: "hidden" });
    await app.button("Export").click();
    await app.page.locator(".result h3", { hasText: "lab_run001" }).waitFor();
    await app.page.locator(".proof", { hasText: "verified by CRC-32" }).waitFor();
    assert.equal(await app.page.locator("body").getAttribute("data-state"), "running", "the logger runs on");
    await run(app, "lab_run001");
    await app.button("Start").click();
    await app.page.locator("#experiments .fault", { hasText: "The device refuses START: ERROR: this run_id has a log already" }).waitFor();
    await app.page.locator("#stop").evaluate((button) => button.click());
    await app.waitForText("── stopped");
    await app.waitForState("ready");
  });

  test("is not said to have begun when no program answers", async () => {
    await openExperiments();
    await run(app, "nobody_1");
    await app.button("Start").click();
    await app.page.locator("#experiments .fault", { hasText: "Nothing has answered START within 5 seconds: perhaps no program that records runs on the board. Run the example" }).waitFor();
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    await app.run("while True:\n    input()");
    await app.waitForState("running");
    await openExperiments();
    await app.page.locator("#experiments .fault").waitFor();
    await app.button("Start").click();
    await app.page.locator("#experiments .fault").waitFor({ state: "hidden" });
    await app.page.locator("#experiments .fault", { hasText: "Nothing has answered START within 5 seconds" }).waitFor();
    assert.ok(await app.page.locator(".recording").isHidden());
    await app.page.keyboard.press("Control+.");
    await app.waitForText("── stopped");
    await app.waitForState("ready");
  });

  test("that ends with its program, or its board, is said to have ended", async () => {
    await runLogger();
    await run(app, "lost_run001");
    await app.button("Start").click();
    await app.page.locator(".recording", { hasText: "lost_run001" }).waitFor();
    await app.button("Disconnect").click();
    await app.page.locator("#experiments .fault", { hasText: "The board was lost while it recorded lost_run001." }).waitFor();
    assert.ok(await app.page.locator(".recording").isHidden());
  });

  async function runLogger() {
    await app.page.locator("#examples").selectOption("A logger for Experiments");
    await app.page.locator("#editor .cm-line", { hasText: "A device for" }).waitFor();
    await app.page.keyboard.press("Control+Enter");
    await app.waitForText("OK: sd_logger is ready");
    await openExperiments();
  }

  async function openExperiments() {
    await app.page.locator("#tool-experiments").click();
    await app.page.locator("#experiments form").waitFor();
  }
});

describe("a log", () => {
  test("is drawn whatever separates its cells, with quotes, remarks and decimal commas", async () => {
    const browser = await startBrowser();
    const app = await browser.page();
    const logs = {
      semicolons: "time;value\r\n0;1,5\r\n1;-2\r\n",
      tabs: "time\tvalue\n0\t1.5\n1\t-2\n",
      remarks: "# by a logger, in 2026\na title\n\"time\",\"value\"\n\"0\",\"1.5\"\n# a pause\n\n1,-2\n",
      quotes: 'time,note,value\n0,"one, ""two""",1.5\n1,,-2\n',
    };
    for (const [name, log] of Object.entries(logs)) await keepLog(app, name, log);
    await app.page.locator("#tool-experiments").click();
    for (const name of Object.keys(logs)) {
      await app.page.locator(".runs .run", { hasText: name }).click();
      await app.page.locator(".result h3", { hasText: name }).waitFor();
      await app.page.getByText("2 rows").waitFor();
      if (await app.button("Chart").isVisible()) await app.button("Chart").click();
      await app.page.locator("#experiments canvas").waitFor();
      assert.deepEqual(await app.page.locator(".legend label").allInnerTexts(), ["value"], name);
      await app.button("Table").click();
      const rows = await app.page.locator("#experiments table tr").allInnerTexts();
      assert.match(rows[1], name === "quotes" ? /^1\s+0\s+one, "two"\s+1\.5$/ : /^1\s+0\s+1[.,]5$/, name);
      assert.equal(rows.length, 3);
    }
    await app.close();
    await browser.close();
  });

  test("with a long name shows all of it, and its columns go and come together", async () => {
    const browser = await startBrowser();
    const app = await browser.page();
    const name = "20260115_2112_run001_the_greenhouse_on_the_hill_with_a_window_ope";
    await keepLog(app, name, "t,a,b,c\n0,1,2,3\n1,2,3,4\n");
    await app.page.locator("#tool-experiments").click();
    await app.page.locator(".runs .run", { hasText: name }).click();
    await app.page.locator("#experiments canvas").waitFor();
    const cut = await app.page.locator(".runs .name").evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1);
    assert.ok(!cut, "the name is whole");
    await app.page.locator("#experiments .legend").getByRole("button", { name: "None" }).click();
    await app.page.waitForFunction(() => document.querySelectorAll("#experiments .legend input:checked").length === 0);
    await app.page.locator("#experiments .legend").getByRole("button", { name: "All" }).click();
    await app.page.waitForFunction(() => document.querySelectorAll("#experiments .legend input:checked").length === 3);
    await app.shot("experiments-long-name");
    await app.close();
    await browser.close();
  });
});

/** A chart is redrawn when its logs are read. */
async function waitForLegend(app, names) {
  await app.page.waitForFunction((wanted) => JSON.stringify([...document.querySelectorAll("#experiments .legend label")].map((label) => label.innerText)) === wanted, JSON.stringify(names));
}

/** Keeps a log in this browser as if it had been exported. */
async function keepLog(app, runId, text) {
  await app.page.evaluate(async ([runId, text]) => {
    const log = new TextEncoder().encode(text);
    const opened = await new Promise((resolve) => {
      const request = indexedDB.open("flylead", 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore("runs", { keyPath: "id" });
        request.result.createObjectStore("logs");
        request.result.createObjectStore("agent");
      };
      request.onsuccess = () => resolve(request.result);
    });
    const transaction = opened.transaction(["runs", "logs"], "readwrite");
    transaction.objectStore("runs").put({ id: runId, runId, board: "A test", when: new Date(), integrity: "crc32", size: log.length });
    transaction.objectStore("logs").put(log, runId);
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    opened.close();
  }, [runId, text]);
}

describe("a million rows", () => {
  test("are read beside the page, and drawn in as many points as the screen has", async () => {
    const browser = await startBrowser();
    const app = await browser.page();
    const parts = ["ms,value\n"];
    for (let n = 0; n < 1_000_000; n++) parts.push(`${n},${Math.round(1000 * Math.sin(n / 9999)) + (n === 777_777 ? 9000 : 0)}\n`);
    await keepLog(app, "million", parts.join(""));
    await app.page.locator("#tool-experiments").click();
    await app.page.locator(".runs .run").click();
    await app.page.getByText("1,000,000 rows").waitFor();
    await app.page.locator("#experiments canvas").waitFor();
    await app.shot("experiments-million");
    const frames = await app.page.evaluate(zoomIn);
    console.log(`a million rows: ${frames.length} zooms and moves, the slowest ${Math.max(...frames).toFixed(1)} ms, mean ${(frames.reduce((a, b) => a + b) / frames.length).toFixed(1)} ms`);
    await app.button("Table").click();
    await app.page.locator(".pager input").fill("777778");
    await app.page.locator(".pager input").press("Enter");
    await app.page.getByRole("cell", { name: "777777", exact: true }).waitFor();
    await app.close();
    await browser.close();
  });
});

describe("the example device", () => {
  test("a real MicroPython on real Web Serial records, and its log comes whole and verified", async () => {
    const board = await startBoard();
    const browser = await startBrowser({ serial: board.path });
    try {
      const app = await browser.page();
      await app.button("Raspberry Pi Pico 2e8a:0005").click();
      await app.waitForState("ready");
      await startLogger(app);
      await run(app, "real_run001");
      await app.button("Start").click();
      await app.waitForText("OK: Recording");
      await app.waitForState("ready");
      await app.page.locator("#experiments").getByRole("button", { name: "Stop" }).click();
      await app.waitForText("OK: Stopped");
      await exported(app, "real_run001");
      assert.match(await app.page.locator(".proof").innerText(), /verified by CRC-32/);
      await app.close();
    } finally {
      await browser.close();
      await board.stop();
    }
  });
});

/** Presses keys that zoom and move, and returns how long each took to be drawn, in milliseconds. */
async function zoomIn() {
  const chart = document.querySelector("#experiments .chart");
  const frames = [];
  for (const key of ["+", "+", "ArrowRight", "+", "ArrowLeft", "-", "-", "ArrowRight", "-", "Home"]) {
    const began = performance.now();
    chart.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    await Promise.resolve();
    frames.push(performance.now() - began);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  return frames;
}

/** Starts the example logger of the command's guide, on a board with files. */
async function startLogger(app) {
  const script = await readFile(new URL("../../native/examples/sd_logger.py", import.meta.url), "utf8");
  await app.exec(`with open('sd_logger.py', 'w') as f: f.write(${JSON.stringify(script)})`);
  await app.page.locator("#terminal").click();
  await app.page.keyboard.type("import sd_logger\n");
  await app.waitForText("OK: sd_logger is ready");
  await app.page.locator("#tool-experiments").click();
  await app.page.locator("#experiments form").waitFor();
}

describe("the session of a port", () => {
  let browser, app;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());
  beforeEach(async () => {
    app = await browser.page();
    await app.connect();
  });
  afterEach(() => app.close());

  test("a late answer is not taken for another run's log, and the next one is certain", async () => {
    await startDevice(app);
    await run(app, "late_50");
    await app.button("Export").click();
    await app.waitForText("found nothing yet");
    await app.page.locator("#experiments .transfer").getByRole("button", { name: "Cancel" }).click();
    await app.page.getByText("Export cancelled").waitFor();
    await app.waitForState("ready");
    await run(app, "b_20");
    await app.button("Export").click();
    await app.page.locator("#experiments .fault", { hasText: /late/ }).waitFor();
    await app.waitForState("ready");
    assert.equal(await app.page.locator(".runs li").count(), 0, "nothing was kept");
    await exported(app, "b_20");
    await app.page.getByText("20 rows").waitFor();

    const coming = app.page.waitForEvent("download");
    await app.button("History").click();
    const history = (await readFile(await (await coming).path())).toString();
    assert.match(history, /^\d{4}-\d\d-\d\dT[\d:.]+Z > EXPORT run_id=late_50$/m);
    assert.match(history, /Z < found nothing yet$/m);
    assert.match(history, /Z ! the log of b_20 is whole: \d+ bytes, crc32$/m);
  });

  test("what would end a recording is asked about first, and does nothing when refused", async () => {
    await startDevice(app);
    await run(app, "kept_30");
    await app.button("Start").click();
    await app.waitForText("OK: start");
    await app.waitForState("ready");
    await app.page.locator("#tool-program").click();
    await app.page.locator("#run").click();
    await app.page.getByRole("dialog").getByText("End the recording of kept_30?").waitFor();
    await app.page.keyboard.press("Escape");
    await app.waitForText("The board goes on recording kept_30");
    await app.page.locator("#tool-experiments").click();
    await app.page.locator("#experiments").getByRole("button", { name: "Stop" }).click();
    await app.waitForText("OK: stop");
    await exported(app, "kept_30");
    await app.page.getByText("30 rows").waitFor();
  });
});
