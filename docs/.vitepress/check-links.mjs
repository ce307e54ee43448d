// Follows every link of the built site, anchors included: node check-links.mjs SITE BASE [--external]
// The site is served below BASE as a web server would serve it; links to other hosts are followed with --external alone.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { LinkChecker } from "linkinator";

const [site, base, external] = process.argv.slice(2);
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };

const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const inside = path.startsWith(base) ? normalize(path.slice(base.length) || "index.html") : undefined;
  const name = inside?.endsWith("/") ? `${inside}index.html` : inside;
  try {
    if (name === undefined || name.startsWith("..")) throw new Error("outside");
    const body = await readFile(join(site, name)).catch(() => readFile(join(site, `${name}.html`)));
    response.writeHead(200, { "content-type": TYPES[extname(name) || ".html"] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const origin = `http://127.0.0.1:${server.address().port}`;

const REFERENCE = /^\/(rust|typescript|python)\//;
const FRONTS = ["/typescript/index.html", "/python/flylead.html"];
function isWithinReference({ pathname, hash }) {
  const path = pathname.slice(base.length - 1);
  return REFERENCE.test(path) && (hash !== "" || !FRONTS.includes(path));
}

const checker = new LinkChecker();
const isElsewhere = (link) => !link.startsWith(origin);
const result = await checker.check({
  path: origin + base,
  recurse: true,
  checkFragments: true,
  concurrency: 50,
  // rustdoc, typedoc and pdoc look after the links within their own pages: these are reached, and not walked through.
  linksToSkip: async (link) => (isElsewhere(link) ? !external : isWithinReference(new URL(link))),
  // Sites refuse a visitor who comes too often.
  retry: true,
});
server.close();
const broken = result.links.filter((link) => link.state === "BROKEN" && (isElsewhere(link.url) || !isWithinReference(new URL(link.url))));
for (const { url, parent, status } of broken) console.error(`${parent}: ${url} (${status})`);
const followed = result.links.filter((link) => link.state === "OK").length;
console.log(`${followed} links followed, ${broken.length} broken`);
if (broken.length > 0 || followed < 100) process.exitCode = 1;
