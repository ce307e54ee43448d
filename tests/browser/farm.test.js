/** Tests the page of all boards of a hub: the activity of each, who has it, and who waits for it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, afterEach, describe, test } from "node:test";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { App, HEADLESS } from "./app.js";
import { view } from "./axe.js";
import { startBoard } from "./board.js";
import { PROGRAM } from "./server.js";

describe("the page of all boards of a hub", () => {
  let browser, app, boards, folder, hub;
  before(async () => {
    browser = await chromium.launch({ args: ["--no-sandbox", "--disable-gpu"], executablePath: HEADLESS });
    boards = [await startBoard(), await startBoard()];
    folder = await mkdtemp(join(tmpdir(), "flylead-farm-"));
    hub = await startHub(folder, [...boards.map(({ path }) => path), join(folder, "unplugged")]);
  });
  after(async () => {
    await hub?.close();
    await browser?.close();
    for (const board of boards ?? []) await board.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    app = new App(await context.newPage(), hub.farm);
    await app.page.goto(hub.farm);
  });
  afterEach(() => app.close());

  const row = (path) => app.page.getByRole("row").filter({ has: app.page.getByRole("rowheader", { name: path }) });

  test("shows what each board does, who has it, and who waits, as it changes", async () => {
    await app.page.getByRole("status").getByText("3 boards, 0 in use, 1 not connected.").waitFor();
    await row("unplugged").getByText("is not connected").waitFor();
    const first = row(boards[0].path);
    await first.getByText("nobody").first().waitFor();
    const runs = hub.flylead(boards[0].path, ["exec", "print('on')\nwhile True: pass"]);
    await runs.line("on");
    await first.getByText("runs a program").waitFor();
    await first.getByText(`flylead exec (process ${runs.process.pid}), for`).waitFor();
    await app.page.getByRole("status").getByText("3 boards, 1 in use, 1 not connected.").waitFor();
    const waits = hub.flylead(boards[0].path, ["fs", "ls"]);
    await first.getByRole("listitem").getByText(`flylead fs ls (process ${waits.process.pid}), for`).waitFor();
    await view(app, "farm");
    runs.process.kill("SIGINT");
    await waits.ended;
    await app.page.getByRole("status").getByText("3 boards, 0 in use, 1 not connected.").waitFor();
    await first.getByText("waits at its prompt").waitFor();
  });

  test("shows a line that somebody has half typed", async () => {
    const types = hub.flylead(boards[1].path, ["repl"]);
    types.process.stdin.write("\nprin");
    await row(boards[1].path).getByText("has a line half typed").waitFor();
    await row(boards[1].path).getByText(`flylead repl (process ${types.process.pid}), for`).waitFor();
    types.process.kill("SIGKILL");
    await row(boards[1].path).getByText("waits at its prompt").waitFor();
  });

  test("is used by keys alone", async () => {
    await app.page.getByRole("table").waitFor();
    const focused = () => app.page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("role"));
    const seen = [];
    for (let press = 0; press < 2; press++) {
      await app.page.keyboard.press("Tab");
      seen.push(await focused());
    }
    assert.deepEqual(seen, ["workbench", "region"]);
    const link = await app.page.getByRole("link", { name: "Open the workbench" }).getAttribute("href");
    assert.equal(link, `/${new URL(hub.url).hash}`);
  });

  test("says that the token is missing, and shows no board then", async () => {
    app.forgive(/401/);
    // A change of the # alone loads nothing.
    await app.page.goto("about:blank");
    await app.page.goto(hub.farm.split("#")[0]);
    await app.page.getByRole("alert").getByText("The token is missing or wrong").waitFor();
    assert.equal(await app.page.getByRole("row").count(), 0);
  });

  test("names of boards and tools are text", async () => {
    // The name of a tool comes from the tool itself.
    await app.page.route("**/farm/boards?*", (route) =>
      route.fulfill({ json: [{ board: "<img src=x onerror=alert(1)>", name: null, port: null, fault: null, activity: "prompt", holder: { who: "<b>x</b>", seconds: 3700 }, waiting: [] }] }),
    );
    await app.page.getByRole("rowheader", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    await app.page.getByText("<b>x</b>, for 1 h 1 min").waitFor();
    assert.equal(await app.page.locator("table img, table b").count(), 0);
  });

  test("says that the hub is gone, and goes on when it is back", async () => {
    app.forgive(/ERR_FAILED/);
    await app.page.getByRole("table").waitFor();
    await app.page.route("**/farm/boards?*", (route) => route.abort());
    await app.page.getByRole("alert").getByText("The hub does not answer.").waitFor();
    await app.page.unroute("**/farm/boards?*");
    await app.page.getByRole("alert").getByText("The hub does not answer.").waitFor({ state: "hidden" });
  });
});

/** A hub for boards; `{ url, farm, flylead, close }`. */
async function startHub(folder, paths) {
  const env = { ...process.env, XDG_RUNTIME_DIR: folder };
  const words = ["--json", "serve", "--listen", "127.0.0.1:0", ...paths.flatMap((path) => ["--board", path])];
  const server = spawn(PROGRAM, words, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const lines = createInterface({ input: server.stdout });
  const { url, farm } = JSON.parse(await new Promise((resolve) => lines.once("line", resolve)));
  return {
    url,
    farm,
    close: () => (server.kill("SIGINT"), ended),
    flylead: (port, words) => {
      const tool = spawn(PROGRAM, ["--port", port, ...words], { env, stdio: ["pipe", "pipe", "ignore"] });
      const output = createInterface({ input: tool.stdout });
      return {
        process: tool,
        ended: new Promise((resolve) => tool.once("exit", resolve)),
        line: (wanted) => new Promise((resolve) => output.on("line", (line) => line === wanted && resolve())),
      };
    },
  };
}
