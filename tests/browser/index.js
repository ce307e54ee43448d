/** A small index of packages, in a folder and on a server of its own, as micropython-lib's tools/build.py lays it out. */

import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Two packages of an index, of which one needs the other; one whose file is not the one that it was made with; and one beside the index,
 * at an address. `{ folder, url, asked, close }`.
 */
export async function startIndex() {
  const folder = await mkdtemp(join(tmpdir(), "flylead-index-"));
  const write = async (path, text) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  const hashed = async (path, text, stored = text) => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
    await write(`file/${hash.slice(0, 2)}/${hash}`, stored);
    return [path, hash];
  };
  const shouting = { v: 1, version: "1.2", hashes: [await hashed("shouting/__init__.py", "from letters import upper\n\ndef shout(text):\n    return upper(text) + '!'\n")], deps: [["letters", "latest"]] };
  const letters = { v: 1, version: "0.1", hashes: [await hashed("letters.py", "def upper(text):\n    return text.upper()\n")] };
  const broken = { v: 1, version: "1", hashes: [await hashed("fine.py", "fine = True\n"), await hashed("broken.py", "one = 1\n", "two = 2\n")] };
  const packages = { shouting, letters, broken };
  for (const [name, manifest] of Object.entries(packages)) await write(`package/py/${name}/latest.json`, JSON.stringify(manifest));
  const descriptions = { shouting: "Says it loud.", letters: "Large letters and small ones.", broken: "Not what it was." };
  await write("index.json", JSON.stringify({ v: 2, updated: 0, packages: Object.entries(packages).map(([name, { version }]) => ({ name, version, description: descriptions[name], license: "MIT" })) }));
  await write("own/package.json", JSON.stringify({ urls: [["own.py", "src/own.py"]], deps: [["letters", "latest"]] }));
  await write("own/src/own.py", "import letters\nprint(letters.upper('my own'))\n");
  await write("curious/package.json", JSON.stringify({ urls: [["look.py", "http://127.0.0.2:9/look.py"]] }));
  const asked = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url);
    const content = await readFile(join(folder, new URL(request.url, "http://x").pathname)).catch(() => undefined);
    response.writeHead(content ? 200 : 404).end(content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    folder,
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}
