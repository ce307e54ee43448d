/** A program that is shared by a link, and what the page says of secrets in addresses. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "./app.js";

const PROGRAM = `# Grüße, ≠ and 😀\n${Array.from({ length: 200 }, (_, n) => `print(${n}, "squared is", ${n * n})`).join("\n")}\n`;

describe("a link that carries a program", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("is copied, and opens that program elsewhere, where nothing runs by itself and nothing reaches the server", async () => {
    const app = await browser.page({ permissions: ["clipboard-read", "clipboard-write"] });
    await app.write(PROGRAM);
    await app.page.locator("#begin").selectOption("share");
    const dialog = app.page.getByRole("dialog", { name: "Share by a link" });
    await dialog.getByRole("button", { name: "Copy the link" }).click();
    await dialog.getByText("Copied.").waitFor();
    await app.shot("share");
    const link = await app.page.evaluate(() => navigator.clipboard.readText());
    assert.equal(await dialog.getByLabel("Link").inputValue(), link);
    assert.ok(link.length < PROGRAM.length / 2, `${link.length} characters`);
    await app.close();

    const other = await browser.page();
    await other.write("mine = 1\n");
    const asked = [];
    other.page.on("request", (request) => asked.push(request.url()));
    await other.page.goto(link);
    await other.page.locator("#tabs [aria-current]", { hasText: "shared.py" }).waitFor();
    await other.page.locator("#editor .cm-line", { hasText: "# Grüße, ≠ and 😀" }).waitFor();
    assert.ok(!asked.some((address) => address.includes("program=") && !address.startsWith(link.split("#")[0] + "#")));
    assert.ok(!other.page.url().includes("#"), "a reload does not open it again");
    assert.equal(await other.page.locator("body").getAttribute("data-state"), "loose", "nothing runs");
    await other.open();
    await other.page.locator("#tabs [aria-current]", { hasText: "shared.py" }).waitFor();
    assert.equal(await other.page.locator("#tabs .tab").count(), 2, "what was there is still there");
    await other.page.evaluate((address) => location.replace(address), link);
    await other.page.waitForFunction(() => location.hash === "");
    assert.equal(await other.page.locator("#tabs .tab").count(), 2, "the same program is open once");
    await other.page.keyboard.press("Control+Enter");
    await other.waitForText("199 squared is 39601");
    await other.waitForState("ready");
    await other.close();
  });

  test("that was cut off is said to be that", async () => {
    const app = await browser.page();
    await app.page.goto(`${browser.url}#program=y0jNyclXKM8vyklR`);
    await app.page.locator("#toast", { hasText: "The program in this link cannot be read: perhaps the link was cut off." }).waitFor();
    await app.close();
  });
});

describe("what the page says of an address", () => {
  let browser;
  before(async () => (browser = await startBrowser()));
  after(() => browser?.close());

  test("has no token in it, and is a sentence", async () => {
    const app = await browser.page();
    await app.page.goto("about:blank"); // An address that differs in its last part alone is not loaded again.
    await app.page.goto(`${browser.url}#board=a-secret-token`);
    await app.page.locator("#failure", { hasText: /^The board at 127\.0\.0\.1:\d+ (could not be reached|did not answer)/ }).waitFor();
    assert.ok(!(await app.page.locator("body").innerText()).includes("a-secret-token"));
    await app.page.getByLabel("Address").fill("127.0.0.1:9");
    await app.button("Connect").click();
    await app.page.locator("#failure", { hasText: /^The address ws:\/\/127\.0\.0\.1:9 .*\.\s*(What to do)?$/ }).waitFor();
    app.forgive(/WebSocket connection|Failed to load resource/);
    await app.close();
  });
});
