/** Serves a folder on a free loopback port, cross-origin isolated, as `flylead serve` does. */

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";

/** `{ url, close }`; `close` resolves when the port is free again. */
export async function serve(folder) {
  const server = createServer((request, response) => answer(folder, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  };
}

async function answer(folder, request, response) {
  try {
    const file = fileFor(folder, request.url);
    const body = await readFile(file);
    response.writeHead(200, { ...ISOLATED, "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404, ISOLATED).end();
  }
}

function fileFor(folder, address) {
  const { pathname } = new URL(address, "http://localhost");
  const file = normalize(join(folder, pathname === "/" ? "index.html" : decodeURIComponent(pathname)));
  if (!file.startsWith(folder + sep)) throw new Error("outside of the folder");
  return file;
}

const ISOLATED = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
