/** Texts of strangers stay text: in links, names of files, output of boards, packages, logs and replies. */

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";
import { Files } from "./files.js";
import { NAMES, PACKAGES, PATHS, REPLIES, SEQUENCES, TEXTS } from "./guests.js";
import { startIndex } from "./index.js";

for (const firefox of [false, true]) {
  describe(`what strangers write, in ${firefox ? "Firefox" : "Chromium"}`, () => {
    let index, browser, app;
    before(async () => {
      index = await startIndex();
      browser = await startBrowser({ firefox, index: index.url, whole: true });
      app = await browser.page({ keeper: true, before: (context) => context.addInitScript(listen) });
      // A script that a policy stopped got further than it should.
      app.forgive(/^request to data:/);
      await app.page.evaluate(async () => {
        localStorage.setItem("canary", "ours");
        await (await caches.open("canary")).put("/canary", new Response("ours"));
      });
      await app.connect();
    });
    after(async () => {
      await app?.close();
      await browser?.close();
      await index?.close();
    });

    test(`does nothing in ${2 * TEXTS.length + 4} links`, async () => {
      for (const text of TEXTS) {
        await follow(app, { program: await packed(app, `# ${text}`), name: text });
        await app.page.locator("#tabs [aria-current]", { hasText: text.slice(-8) }).waitFor();
      }
      assert.equal(await app.page.locator("body").getAttribute("data-state"), "ready", "nothing runs");
      for (const text of TEXTS.slice(0, 3)) {
        await follow(app, { install: text });
        await app.page.getByRole("dialog").waitFor();
        await app.waitForState("ready");
        await app.page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
      }
      await follow(app, { program: "%00".repeat(50) });
      await isAsItWas(app);
    });

    test(`does nothing in ${NAMES.length} names of files, and in what those have`, async () => {
      const files = await Files.open(app);
      await app.exec(`for name in ${JSON.stringify(NAMES)}:\n    with open('/' + name, 'w') as f: f.write(name)`);
      await app.button("List the board's files again").click();
      await files.waitForRow(`/${NAMES.at(-2)}`);
      await app.waitForState("ready");
      const rows = await files.rows();
      assert.deepEqual(NAMES.filter((name) => !rows.includes(`/${name}`)), []);
      await app.page.locator("#files [data-path]", { hasText: "onerror" }).first().click();
      await app.page.locator("#tabs [aria-current]", { hasText: "onerror" }).waitFor();
      await app.waitForState("ready");
      await isAsItWas(app);
    });

    test(`does nothing in ${TEXTS.length + SEQUENCES.length + 8} outputs of a board`, async () => {
      await app.exec(`for text in ${JSON.stringify([...TEXTS, ...SEQUENCES])}:\n    print(text)\nprint('\\x1b[?1049l\\x1b[?1003l\\x1b[0m')`);
      for (const text of TEXTS.slice(0, 4)) {
        await app.run(`raise Exception(${JSON.stringify(text)})`);
        await app.page.getByRole("alert").getByText(text).first().waitFor();
        await app.waitForState("ready");
        await app.run(`exec(compile("1/0", ${JSON.stringify(text)}, "exec"))`);
        await app.page.getByRole("alert").getByText("ZeroDivisionError").first().waitFor();
        await app.waitForState("ready");
      }
      await isAsItWas(app);
    });

    test(`does nothing in ${PACKAGES.length + PATHS.length} descriptions of packages`, async () => {
      await writeFile(join(index.folder, "index.json"), JSON.stringify({ v: 2, updated: 0, packages: PACKAGES }));
      for (const [n, path] of PATHS.entries()) {
        await writeFile(join(index.folder, `own/hostile${n}.json`), JSON.stringify({ urls: [[path, "src/own.py"]], version: TEXTS[n] }));
      }
      await app.button("Packages").click();
      const dialog = app.page.getByRole("dialog");
      await dialog.getByText(`${PACKAGES.length} packages`).waitFor();
      await dialog.getByLabel("Name, words or address").fill("guest");
      await dialog.locator("li", { hasText: "guest11" }).or(dialog.locator("li", { hasText: "guest1" })).first().waitFor();
      for (const n of PATHS.keys()) {
        const name = `${index.url}/own/hostile${n}.json`;
        await dialog.getByLabel("Name, words or address").fill(name);
        await dialog.getByRole("button", { name: `Install ${name}`, exact: true }).click();
        await dialog.locator(".fault:not([hidden]), .status", { hasText: /\S/ }).first().waitFor();
        await app.waitForState("ready");
      }
      await dialog.getByRole("button", { name: "Close" }).click();
      assert.equal(await app.exec("import os\nprint('boot.py' in os.listdir('/'))"), "False");
      await isAsItWas(app);
    });

    test(`does nothing in ${TEXTS.length + 8} lines of a device`, async () => {
      await app.exec(device());
      await app.page.locator("#terminal").click();
      await app.page.keyboard.type("serve()\n");
      await app.waitForText("OK: ready");
      await app.page.locator("#tool-experiments").click();
      for (const n of TEXTS.keys()) {
        await app.page.getByLabel("Run", { exact: true }).fill(`refused${n}`);
        await app.button("Export").click();
        await app.page.locator("#experiments .fault", { hasText: TEXTS[n] }).waitFor();
        await app.waitForState("ready");
      }
      await app.page.getByLabel("Run", { exact: true }).fill("log");
      await app.button("Export").click();
      await app.page.locator(".result h3", { hasText: "log" }).waitFor();
      await app.waitForState("ready");
      await app.page.locator("#experiments [data-view]", { hasText: "Table" }).click();
      await app.page.locator("#experiments th", { hasText: "onerror" }).first().waitFor();
      await isAsItWas(app);
      await app.page.locator("#tool-program").click();
      await app.button("Stop").or(app.page.locator("#terminal .xterm-screen").first()).first().click();
    });

    test(`does nothing in ${REPLIES.length} replies of an LLM`, async () => {
      await app.page.locator("#tool-agent").click();
      await app.page.getByLabel("Task").fill(TEXTS[1]);
      await app.page.keyboard.press("Control+c");
      await app.button("Begin").click();
      await app.page.locator("[data-step=outbox]:not([hidden])").waitFor();
      for (const reply of REPLIES) {
        await app.waitForState("ready");
        await app.page.locator("[name=reply]").fill(reply);
        await app.button("See what it would do").click();
        await app.page.locator("[data-step=preview]:not([hidden]), #agent .fault:not([hidden])").first().waitFor();
      }
      await isAsItWas(app);
    });
  });
}

test("there are at least 80 such texts, and the check notices one that gets out", async () => {
  assert.ok(2 * TEXTS.length + NAMES.length + SEQUENCES.length + PACKAGES.length + PATHS.length + REPLIES.length >= 80);
  const browser = await startBrowser({ whole: true });
  const app = await browser.page({ before: (context) => context.addInitScript(listen) });
  await app.page.evaluate(() => (document.querySelector("header").innerHTML = "<img src=x onerror=out()>"));
  await assert.rejects(isAsItWas(app, { canary: false }));
  app.forgive(/./);
  await app.close();
  await browser.close();
});

/** A device whose lines are a stranger's: what it refuses with, and the header of its log. */
function device() {
  const header = ["ms", ...TEXTS.slice(0, 8).map((text) => text.replaceAll(",", ";").replaceAll('"', "'"))].join(",");
  return `
import binascii
TEXTS = ${JSON.stringify(TEXTS)}
LOG = ${JSON.stringify(`${header}\n`)} + "".join("%d,1,2,3,4,5,6,7,8\\n" % n for n in range(20))
def serve():
    print("OK: ready")
    while True:
        line = input()
        verb, _, run = line.partition(" run_id=")
        run = run.split(" ")[0]
        if run.startswith("refused"):
            print("ERROR: " + TEXTS[int(run[7:])])
        elif verb == "EXPORT":
            print("SIZE=%d" % len(LOG))
            print(LOG, end="")
            print("\\nCRC32=%08x" % binascii.crc32(LOG.encode()))
            print("OK: export")
        else:
            print("OK: " + verb.lower())
`;
}

async function follow(app, parts) {
  await app.page.evaluate((parts) => (location.hash = new URLSearchParams(parts)), parts);
}

/** The program of a link: base64 for addresses, of its compressed form. */
function packed(app, text) {
  return app.page.evaluate(async (text) => {
    const bytes = new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }, text);
}

/** Counts what gets out. */
function listen() {
  globalThis.outs = 0;
  globalThis.out = () => (globalThis.outs += 1);
  globalThis.opened = [];
  globalThis.open = (address) => (globalThis.opened.push(address), null);
}

/** Fails if something got out: ran, asked another host (`App.close` fails then), or became a part of the page. */
async function isAsItWas(app, { canary = true } = {}) {
  const found = await app.page.evaluate(async () => {
    // Whatever was set in motion is over then.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const acting = [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some(({ name, value }) => /^on/i.test(name) || /^\s*javascript:/i.test(value)));
    const foreign = document.querySelectorAll("body base, body link, body meta, body script:not([src]), object, embed, template[shadowrootmode], iframe:not([sandbox=allow-scripts]), [href*='evil.invalid'], [src*='evil.invalid'], [action]");
    const kept = await (await caches.match("/canary"))?.text();
    return { outs: globalThis.outs, opened: globalThis.opened, acting: acting.map((one) => one.outerHTML), foreign: [...foreign].map((one) => one.outerHTML.slice(0, 200)), title: document.title, prototype: Object.keys(Object.prototype), canary: localStorage.getItem("canary"), kept, base: document.baseURI };
  });
  assert.deepEqual({ ...found, title: found.title.includes("taken over") }, { outs: 0, opened: [], acting: [], foreign: [], title: false, prototype: [], canary: canary ? "ours" : null, kept: canary ? "ours" : undefined, base: app.page.url().split("#")[0] });
}
