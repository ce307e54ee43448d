// A headless browser with the package loaded in a page: Chromium, or with BROWSER=firefox the Firefox that people have.

import { existsSync } from "node:fs";

import { chromium, firefox } from "playwright-core";

import { serve } from "./server.js";

/** Chromium with its windows, as people have it: it alone has Web Serial, and a process for each frame without an origin. */
export const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const FIREFOX = ["/usr/bin/firefox-esr", "/usr/bin/firefox", "/snap/bin/firefox"];
const OURS = process.env.BROWSER ?? "chromium";

/** Opens `/isolated/` or `/plain/`, with the package's exports as `flylead` and a browser board's `options`. */
export async function openPage(t, kind, browser = OURS) {
  const server = await serve();
  t.after(server.stop);
  const page = await openBrowser(t, browser);
  await page.goto(`${server.origin}/${kind}/`);
  await page.evaluate(load);
  return page;
}

/** An empty page; what goes wrong in it is shown. */
export async function openBrowser(t, name = OURS) {
  const browser = await (name === "firefox" ? launchFirefox() : launchChromium());
  t.after(() => browser.close());
  const page = await browser.newPage();
  if (process.env.VERBOSE) page.on("console", (message) => console.log("page:", message.text()));
  page.on("pageerror", (error) => console.error("page:", error));
  return page;
}

function launchChromium() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

/**
 * Over WebDriver BiDi, so that no other Firefox than the installed one is needed. Playwright 1.65 sends it a command
 * that version 153 does not know.
 */
export function launchFirefox() {
  const executablePath = process.env.FIREFOX ?? FIREFOX.find(existsSync);
  if (!executablePath) throw new Error("Firefox is missing: run `cargo xtask setup`, or name its program in FIREFOX");
  return firefox.launch({ channel: "moz-firefox", executablePath });
}

async function load() {
  const parts = await Promise.all(["index", "debug", "mount", "export", "agent", "zylisp", "zylisp-server"].map((part) => import(`./js/${part}.js`)));
  await Promise.all(parts.map((part) => part.init()));
  globalThis.flylead = Object.assign({}, ...parts.reverse());
  globalThis.options = {
    module: new URL("node_modules/@micropython/micropython-webassembly-pyscript/micropython.mjs", location.href),
  };
  /** Collects a rejection's name and what it carries. */
  globalThis.refusal = (promise) =>
    promise.then(
      () => undefined,
      ({ name, message, traceback, stdout }) => ({ name, message, traceback, stdout }),
    );
  globalThis.sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
}
