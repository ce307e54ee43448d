/** Menus of the extension: in a browser there is none of a command that needs the desktop. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = (path) => readFile(fileURLToPath(new URL(`../../web/vscode/${path}`, import.meta.url)), "utf8");

/** Conditions that are false in a browser; nothing is mounted there. */
const HIDDEN = ["!flylead.inBrowser", "flylead.mounted"];

const { contributes } = JSON.parse(await source("package.json"));
const desktop = (await source("src/web/extension.ts")).match(/^const DESKTOP = \[(.*)\]/m)[1].match(/\w+/g).map((name) => `flylead.${name}`);

test("each entry of a menu is a command, and each command can be found", async () => {
  const known = contributes.commands.map(({ command }) => command);
  for (const entry of Object.values(contributes.menus).flat()) assert.ok(known.includes(entry.command), entry.command);
  const registered = (await Promise.all(["src/extension.ts", "src/commands.ts", "src/plot/view.ts"].map(source))).join("\n");
  const names = new Set([...registered.matchAll(/\bon\((?:\w+, |this\.context, )?"(\w+)"/gi)].map(([, name]) => `flylead.${name}`));
  // A desktop finds its boards itself.
  assert.deepEqual(known.filter((command) => !names.has(command)), ["flylead.connect"]);
});

test("each entry but the palette's says where it belongs", () => {
  for (const [menu, entries] of Object.entries(contributes.menus)) {
    for (const { command, when } of entries) assert.ok(when, `${command} in ${menu}`);
  }
});

test("in a browser no menu has a command that needs the desktop", () => {
  assert.ok(desktop.length > 5);
  for (const command of desktop) {
    const inPalette = contributes.menus.commandPalette.find((entry) => entry.command === command);
    assert.ok(inPalette, `the palette hides ${command}`);
    const entries = Object.values(contributes.menus).flat().filter((entry) => entry.command === command);
    for (const { when } of entries) assert.ok(when.split(" && ").some((part) => HIDDEN.includes(part)), `${command}: ${when}`);
  }
});
