/** A real VS Code with the extension in it, in headless Chromium, and the words that the tests use about it. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SERVER = here("node_modules/code-server/out/node/entry.js");
const EXTENSION = here("../../web/vscode/dist/flylead.vsix");
const SOURCES = here("../../web/vscode");
const COMMAND = here("../../target/debug/flylead");
const SHOTS = here("../.cache/screenshots");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
/** More than anything takes on a busy machine, in milliseconds. */
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);
const ATTEMPTS = 5;
/** Nothing here is asked of other hosts. */
const SETTINGS = {
  "editor.autoClosingBrackets": "never",
  "editor.autoIndent": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "terminal.integrated.gpuAcceleration": "off",
  "update.mode": "none",
  "workbench.startupEditor": "none",
};

/** Starts VS Code on a folder with these `files`, in an empty profile; the boards at `addresses` are named in its settings. */
export async function startEditor(files, addresses) {
  const home = await mkdtemp(join(tmpdir(), "flylead-vscode-"));
  const folder = join(home, "work");
  await write(folder, files);
  await configure(home, addresses);
  const options = ["--user-data-dir", join(home, "data"), "--extensions-dir", join(home, "extensions")];
  await ended(server([...options, "--install-extension", EXTENSION], home));
  await putCommand(join(home, "extensions"));
  const running = server([...options, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", folder], home, addresses[0]);
  const address = await listening(running);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await prepared(page);
  await page.goto(`${address}/?folder=${folder}`);
  await page.locator(".monaco-workbench .explorer-viewlet").waitFor();
  return new Editor(page, folder, async () => {
    await browser.close();
    running.kill("SIGTERM");
    await once(running, "exit");
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }, (addresses) => configure(home, addresses), environment(home));
}

/** Puts the command where the packages for each system have it. */
async function putCommand(extensions) {
  const [name] = (await readdir(extensions)).filter((folder) => folder.startsWith("flylead."));
  await mkdir(join(extensions, name, "bin"));
  await symlink(COMMAND, join(extensions, name, "bin", "flylead"));
}

/** Names these boards in the settings. To the browser this is a remote machine: its own settings are there when extensions begin, the person's come later. */
async function configure(home, addresses) {
  const settings = JSON.stringify({ ...SETTINGS, "flylead.addresses": addresses });
  for (const part of ["data/Machine", "data/User"]) await write(join(home, part), { "settings.json": settings });
}

/** Makes a page ready for tests. */
export async function prepared(page) {
  page.setDefaultTimeout(PATIENCE);
  await mkdir(SHOTS, { recursive: true });
}

export class Editor {
  #asked = [];
  /** Number of things that a person would have done. */
  steps = 0;

  constructor(page, folder, close, configure, env) {
    this.page = page;
    this.env = env;
    /** Names other boards in the settings. */
    this.configure = configure;
    this.folder = folder;
    this.close = close;
    page.on("request", (request) => this.#asked.push(request.url()));
  }

  /** Opens a file of the folder by a double click in the explorer. */
  async open(name) {
    this.steps += 1;
    await this.view("Explorer");
    await this.page.getByRole("treeitem", { name }).first().dblclick();
    await this.page.getByRole("tab", { name }).waitFor();
  }

  /** Goes back to the first tab. */
  async first() {
    await this.page.locator(".tabs-container .tab").first().click();
  }

  /** Addresses of other hosts that something was asked of. */
  strangers() {
    return this.#asked.filter((url) => /^(https?|wss?):/.test(url) && !/^\w+:\/\/(127\.0\.0\.1|localhost)[:/]/.test(url));
  }

  /** Shows a view of the activity bar. */
  async view(name) {
    const tab = this.page.locator(".activitybar").getByRole("tab", { name: new RegExp(`^${name}`) });
    if ((await tab.getAttribute("aria-selected")) === "true") return;
    this.steps += 1;
    await tab.click();
  }

  /** Runs a command by its name in the palette. */
  async command(title) {
    this.steps += 1;
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input[type=text]").fill(`>${title}`);
    await this.page.locator(".quick-input-list").getByRole("option", { name: title }).first().click();
  }

  /** Types an answer into the box that asks for one. */
  async answer(text) {
    this.steps += 1;
    await this.page.locator(".quick-input-widget input[type=text]").fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Types a path into a file dialog, which puts a folder of its own there when it has read it, whatever was typed before. */
  async path(path) {
    this.steps += 1;
    const box = this.page.locator(".quick-input-widget");
    const input = box.locator("input[type=text]");
    await this.page.waitForFunction(() => document.querySelector(".quick-input-widget input[type=text]")?.value.startsWith("/"));
    for (let attempt = 1; attempt <= ATTEMPTS && (await box.isVisible()); attempt += 1) {
      await input.fill(path);
      await this.page.keyboard.press("Enter");
      await box.waitFor({ state: "hidden", timeout: PATIENCE / ATTEMPTS }).catch(() => {});
    }
    await box.waitFor({ state: "hidden" });
  }

  /** Chooses an item of the menu that is open; menus take no click in the moment in which they open. */
  async choose(item) {
    this.steps += 1;
    await this.page.getByRole("menuitem", { name: item }).hover();
    await this.page.keyboard.press("Enter");
  }

  /** Chooses an item of a row's menu, which leads to `next`: a list that is drawn again closes the menu. */
  async menu(row, item, next) {
    this.steps += 2;
    const timeout = PATIENCE / ATTEMPTS / 2;
    for (let attempt = 1; attempt <= ATTEMPTS && (await next.count()) === 0; attempt += 1) {
      await this.page.keyboard.press("Escape");
      await row.click({ button: "right", timeout }).catch(() => {});
      await this.page.getByRole("menuitem", { name: item }).hover({ timeout }).then(() => this.page.keyboard.press("Enter"), () => {});
      await next.waitFor({ timeout }).catch(() => {});
    }
    await next.waitFor();
  }

  /** Presses a button. */
  async press(name) {
    this.steps += 1;
    await this.button(name).click();
  }

  /** Starts a `flylead` command beside the editor, as in a terminal of its own; resolves when it has printed `text`. */
  async tool(words, text) {
    const tool = spawn(COMMAND, words, { env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    for await (const bytes of tool.stdout.iterator({ destroyOnReturn: false })) {
      said += bytes;
      if (said.includes(text)) return { tool: `flylead ${words.find((word) => /^[a-z]+$/.test(word))} (process ${tool.pid})`, end: () => (tool.kill("SIGINT"), once(tool, "exit")) };
    }
    throw new Error(`the command ended: ${said}`);
  }

  /** Opens another window on the same folder. */
  async window() {
    const page = await this.page.context().newPage();
    await prepared(page);
    await page.goto(this.page.url());
    await page.locator(".monaco-workbench .explorer-viewlet").waitFor();
    return new Editor(page, this.folder);
  }

  /** Runs tests that are an extension of the editor, in another window with the extension as it is in the sources; returns the last thing that they log. */
  async suite(path) {
    const page = await this.page.context().newPage();
    const url = new URL(this.page.url());
    const at = (file) => `vscode-remote://${url.host}${file}`;
    url.searchParams.set("payload", JSON.stringify([["extensionDevelopmentPath", at(SOURCES)], ["extensionTestsPath", at(path)]]));
    const said = page.waitForEvent("console", { predicate: (message) => /all tests passed|a test failed/.test(message.text()), timeout: PATIENCE });
    await page.goto(url.href);
    const text = (await said).text();
    await page.close();
    return text;
  }

  button(name) {
    return this.page.getByRole("button", { name }).first();
  }

  /** A file or directory in the view of the board's files. */
  boardFile(name) {
    return this.page.getByRole("tree", { name: "Files on the Board" }).getByRole("treeitem", { name });
  }

  /** Waits until the terminal in front shows a text. */
  async printed(text) {
    await this.page.locator(".xterm-rows:visible").filter({ hasText: text }).first().waitFor();
  }

  /** Clicks into the terminal in front, which another one may just replace: a click waits for the terminal that it found. */
  async intoTerminal() {
    const front = this.page.locator(".terminal-wrapper.active").filter({ visible: true });
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
      if (await front.click({ timeout: PATIENCE / ATTEMPTS / ATTEMPTS }).then(() => true, () => false)) return;
    }
    await front.click();
  }

  /** Replaces the text in the editor and saves it. */
  async save(text) {
    await this.write(text);
    await this.page.keyboard.press("Control+s");
    await this.page.locator(".tab.active:not(.dirty)").waitFor();
  }

  /** Replaces the text in the editor. */
  async write(text) {
    this.steps += 1;
    await this.page.locator(".editor-instance .view-lines").first().click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(text);
  }

  /** A board in the list. */
  board(name) {
    return this.page.getByRole("tree", { name: "Boards" }).getByRole("treeitem", { name });
  }

  /** Takes a board into use, once the list stands still: a click into a list that is drawn again is lost. */
  async use(path) {
    this.steps += 1;
    const row = this.board(new RegExp(`^${path}\\b`));
    const chosen = row.locator(".codicon-circuit-board");
    for (let attempt = 1; attempt <= ATTEMPTS && (await chosen.count()) === 0; attempt += 1) {
      await row.click();
      await chosen.waitFor({ timeout: PATIENCE / ATTEMPTS }).catch(() => {});
    }
    await chosen.waitFor();
  }

  /** The page of a view that an extension draws. */
  drawn() {
    return this.page.frameLocator("iframe.webview").frameLocator("#active-frame");
  }

  shot(name) {
    return this.page.screenshot({ path: join(SHOTS, `vscode-${name}.png`) });
  }
}

function server(args, home, board) {
  const env = { FLYLEAD_TEST_BOARD: board, FLYLEAD_TEST_COMMAND: COMMAND, ...environment(home) };
  return spawn(process.execPath, [SERVER, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
}

/** The environment of a person who has used nothing of ours yet. */
function environment(home) {
  return { ...process.env, HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config"), XDG_DATA_HOME: join(home, "share") };
}

/** Waits for the line that names its address. */
function listening(running) {
  return new Promise((resolve, reject) => {
    let said = "";
    running.stdout.on("data", (bytes) => {
      said += bytes;
      const address = said.match(/HTTP server listening on (http:\S+?)\/?\s/)?.[1];
      if (address) resolve(address);
    });
    running.once("exit", () => reject(new Error(`VS Code does not start: ${said}`)));
  });
}

async function ended(child) {
  child.stdout.resume();
  const [code] = await once(child, "exit", { signal: AbortSignal.timeout(PATIENCE) });
  assert.equal(code, 0, "the extension is installed");
}

async function write(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
