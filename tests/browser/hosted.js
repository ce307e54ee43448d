/** The built page as a server has it that only keeps files: in a folder, without a header of its own. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";

const BUILT = new URL("../../web/dist/", import.meta.url);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json" };

/** `{ url, update, lose, stop }`: `update` puts a newer version in its place; `lose` takes the parts away whose names match. */
export async function startHost(base = "/flylead/") {
  let newer;
  let lost = /^$/;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const path = pathname.startsWith(base) ? pathname.slice(base.length) || "index.html" : undefined;
    const content = path === undefined || path.includes("..") || lost.test(path) ? undefined : await (newer ? newer(path) : read(path));
    response.writeHead(content ? 200 : 404, { "Content-Type": TYPES[extname(path ?? "")] ?? "application/octet-stream" }).end(content);
  });
  const listen = (port) => new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    update: async () => void (newer = await newerVersion()),
    lose: (pattern) => void (lost = pattern),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function read(path) {
  return readFile(new URL(path, BUILT)).catch(() => undefined);
}

/** A copy of the page with its first file under another name, which is all that makes a version. */
async function newerVersion() {
  const [index, worker] = await Promise.all(["index.html", "service-worker.js"].map(async (path) => String(await read(path))));
  const [, begin] = /<script type="module"[^>]* src="\.\/(assets\/[^"]+)"/.exec(index);
  const renamed = begin.replace(".js", "-newer.js");
  const newIndex = index.replaceAll(begin, renamed);
  const hash = createHash("sha256").update(newIndex).digest("base64");
  const newWorker = worker.replace(/"\.\/":"[^"]+"/, () => `"./":"${hash}"`).replaceAll(begin, renamed).replace(/"flylead-[0-9a-f]{12}"/, '"flylead-000000000000"');
  const name = begin.replace("assets/", "");
  const rename = async (path) => String(await read(path)).replaceAll(name, renamed.replace("assets/", ""));
  return (path) => {
    if (path === "index.html") return newIndex;
    if (path === "service-worker.js") return newWorker;
    if (path === begin) return undefined;
    if (path === renamed) return rename(begin);
    return path.endsWith(".js") ? rename(path) : read(path);
  };
}
