/** The built page in a headless browser, and the words the tests use about it. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { CHROMIUM, launchFirefox } from "../../wasm/tests/browser.js";
import { serve } from "./server.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const SHOTS = here("../.cache/screenshots");
/** More than anything takes on a busy machine, in milliseconds. */
const PATIENCE = 60_000;
const SHELL = "/usr/bin/chromium-headless-shell";
/** Chromium without windows where it is installed: a page takes a third less processor time in it. No wall is tested in it. */
export const HEADLESS = !process.env.CHROMIUM && existsSync(SHELL) ? SHELL : CHROMIUM;

/**
 * Starts a server and a browser; `page(options)` opens the page in a fresh profile, `close` ends everything.
 * With `firefox`, the browser is that; a `whole` Chromium has the walls that people's has. With `index`, packages are from that; with `served`, the path of a pty, the server passes that board on; with `serial`, the browser sees that as a board on USB and lets the page open it.
 */
export async function startBrowser({ firefox, index, serial, served, whole } = {}) {
  const server = await serve({ board: served, index });
  const browser = await (firefox ? launchFirefox() : launchChromium(serial, server.url, whole));
  await mkdir(SHOTS, { recursive: true });
  return {
    url: server.url,
    page: (options) => openPage(browser, server.url, options),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

function launchChromium(serial, url, whole) {
  return chromium.launch({ args: FLAGS, ...(serial ? withBoard(serial, url) : { executablePath: whole ? CHROMIUM : HEADLESS }) });
}

function withBoard(pty, url) {
  const env = {
    ...process.env,
    FLYLEAD_BOARD: pty,
    FLYLEAD_ORIGIN: new URL(url).origin,
    FLYLEAD_POLICIES: "/etc/chromium",
    FLYLEAD_CHROMIUM: CHROMIUM,
  };
  return { executablePath: here("chromium-with-board"), env };
}

/**
 * Opens the page in a fresh profile, `without` a part of `navigator` if that is named. A page that is to have `help` at
 * writing says so: it compiles 11 MB in each fresh profile, and most tests are not about it. One with `fewTools` has not opened the others. `before` gets the profile before the page is
 * opened; one that is `blank` stays so. One with a `keeper` is kept by its service worker, which loads all of the page once more. The test fails later, in `App.close`, if the page logged an error or asked another host for anything.
 */
async function openPage(browser, url, { without, help = false, keeper = false, fewTools = false, before, blank = false, onResponse, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: keeper ? "allow" : "block", ...options });
  if (!help) await context.addInitScript(withoutHelp);
  if (!fewTools) await context.addInitScript(withAllTools);
  if (without) await context.addInitScript((name) => delete Navigator.prototype[name], without);
  await before?.(context);
  const page = await context.newPage();
  if (blank) return { page };
  if (onResponse) page.on("response", onResponse);
  const app = new App(page, url);
  await app.open();
  return app;
}

/** Keeps all tools in sight, as of a person who has opened one. */
function withAllTools() {
  try {
    localStorage["flylead.tools.more"] ??= "yes";
  } catch {
    // Of a page that keeps nothing.
  }
}

function withoutHelp() {
  try {
    localStorage["flylead.settings"] ??= JSON.stringify({ help: false });
  } catch {
    // Of a page that keeps nothing.
  }
}

export class App {
  #faults = [];
  #forgiven = [];
  #marks = 0;

  constructor(page, url) {
    this.page = page;
    this.url = url;
    page.setDefaultTimeout(PATIENCE);
    page.on("pageerror", (error) => this.#faults.push(`page error: ${error.message}`));
    page.on("console", (message) => message.type() === "error" && this.#faults.push(`console: ${message.text()}`));
    page.on("request", (request) => isForeign(request.url(), url) && this.#faults.push(`request to ${request.url()}`));
  }

  /** Faults like these are caused by the test on purpose. The browser may still be about to report one. */
  forgive(pattern) {
    this.#forgiven.push(pattern);
  }

  async open() {
    await this.page.goto(this.url);
    await this.page.locator("#editor .cm-content").waitFor({ state: "attached" });
  }

  button(name) {
    return this.page.getByRole("button", { name });
  }

  /** Connects the board in the page, by its button, and waits for its prompt. */
  async connect() {
    await this.button("Start the board").click();
    await this.waitForState("ready");
    await this.waitForText(">>>");
  }

  /** Pastes a program into the editor, as a person would. */
  async write(program) {
    await this.page.locator("#editor .cm-content").click();
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.insertText(program);
  }

  async run(program) {
    await this.write(program);
    await this.page.keyboard.press("Control+Enter");
  }

  /**
   * Runs a program as the page's program, without touching what is open, and answers with what it printed. With `unsaved`, the
   * page asks about a module that is not saved, and it stays so. A slow board has its `patience`, in milliseconds.
   */
  async exec(program, { unsaved = false, patience = PATIENCE } = {}) {
    await this.waitForState("ready", patience);
    const mark = `mark ${++this.#marks}`;
    await this.page.evaluate(() => document.querySelector("#tabs button")?.click());
    await this.page.locator("#clear").click();
    await this.run(`${program}\nprint(${JSON.stringify(mark)})`);
    if (unsaved) await this.button("Run without").click();
    await this.waitForText(mark, patience);
    await this.waitForState("ready", patience);
    const screen = await this.screen();
    const end = screen.indexOf(mark);
    return screen.slice(screen.findLastIndex((row, at) => at < end && row.includes("── run ──")) + 1, end).join("\n").trim();
  }

  waitForState(kind, timeout = PATIENCE) {
    return this.#explained(this.page.locator(`body[data-state=${kind}]`).waitFor({ timeout }));
  }

  /** Waits until the terminal shows this text. */
  async waitForText(text, timeout = PATIENCE) {
    const found = this.page.waitForFunction(
      ([wanted]) => [...document.querySelectorAll("#terminal .screen:not([hidden]) .xterm-rows > div")].some((row) => row.textContent.replaceAll("\u00a0", " ").includes(wanted)),
      [text],
      { timeout, polling: 50 },
    );
    await this.#explained(found);
  }

  /** Adds to the error of a wait that took too long what the page shows. */
  async #explained(wait) {
    try {
      await wait;
    } catch (error) {
      const shown = await this.page.evaluate(() => `${document.body.dataset.state}\n${document.body.innerText}`).catch(({ message }) => message);
      error.message += `\nthe page shows: ${shown}`;
      throw error;
    }
  }

  /** Waits until the last row of the terminal that is not empty begins with this text. */
  async waitForLastRow(text, timeout = PATIENCE) {
    await this.page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll("#terminal .screen:not([hidden]) .xterm-rows > div")]
          .map((row) => row.textContent.replaceAll("\u00a0", " ").trimEnd())
          .findLast((row) => row !== "")
          ?.startsWith(wanted),
      text,
      { timeout, polling: 50 },
    );
  }

  /** Returns the terminal's text as a person reads it, a string for each row. */
  async screen() {
    const rows = await this.page.locator("#terminal .screen:not([hidden]) .xterm-rows > div").allTextContents();
    return rows.map((row) => row.replaceAll("\u00a0", " ").trimEnd());
  }

  focused() {
    return this.page.evaluate(() => {
      const { activeElement: active } = document;
      const part = active.closest("#editor, #terminal");
      return part ? part.id : active.id;
    });
  }

  async shot(name) {
    await this.page.screenshot({ path: `${SHOTS}/${name}.png` });
  }

  async close() {
    await this.page.context().close();
    const forgiven = [...this.#forgiven, PICTURES];
    const faults = this.#faults.filter((fault) => !forgiven.some((pattern) => pattern.test(fault)));
    assert.deepEqual(faults, []);
  }
}

function isForeign(address, home) {
  const { protocol, origin } = new URL(address);
  return !["data:", "blob:"].includes(protocol) && origin !== new URL(home).origin;
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Before a picture Playwright adds the style sheet `body {}` to each frame of Firefox, and takes it away (`inPagePrepareForScreenshots`
 * of playwright-core 1.64). The policy of the guest's frame refuses it, and names the hash of that text, and of no other.
 */
const PICTURES = /blocked an inline style \(style-src-elem\).*default-src 'none'.*sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT\+SmwNZWA=/s;
