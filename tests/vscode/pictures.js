/** Puts pictures that the tests have taken into the extension's README: `cargo xtask pictures`, which runs the tests first. */

import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Pictures of the README, by the names that the tests give them. */
const PICTURES = ["debug", "plot", "web-debug"];

for (const name of PICTURES) await copyFile(here(`../.cache/screenshots/vscode-${name}.png`), here(`../../web/vscode/media/${name}.png`));
