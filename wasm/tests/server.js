// Serves the package as it is to a browser: under /isolated/ with the headers that make a page cross-origin isolated,
// under /plain/ without.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const PACKAGE = new URL("../", import.meta.url);
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Serves a folder on a free port of loopback; answers the origin and how to stop. */
export async function serve(root = PACKAGE) {
  const server = createServer((request, response) => answer(root, request, response).catch(() => response.destroy()));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, stop };
}

async function answer(root, request, response) {
  const [, , isolated, path] = /^\/((isolated)|plain)\/([^?]*)/.exec(request.url) ?? [];
  const headers = isolated ? ISOLATION : {};
  if (path === "") {
    response.writeHead(200, { ...headers, "Content-Type": "text/html" });
    response.end("<!doctype html><title>flylead</title>");
    return;
  }
  const content = path === undefined || path.includes("..") ? undefined : await read(root, path);
  response.writeHead(content ? 200 : 404, { ...headers, "Content-Type": TYPES[extname(path ?? "")] ?? "text/plain" });
  response.end(content);
}

/** Resolves modules as a bundler does, where npm put them. */
function read(root, path) {
  return readFile(new URL(path.replace("js/browser-board/@", "node_modules/@"), root)).catch(() => undefined);
}
