/** Takes the pictures of the page for the README and the guide: `cargo xtask pictures`, which builds the page first. */

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./app.js";
import { exported, startDevice } from "./device.js";
import { Files } from "./files.js";

const VIEWPORT = { width: 1200, height: 720 };
const WAVE = `import math, time

# Two waves, drawn while they are printed.
for step in range(400):
    t = step / 40
    print("sine:", math.sin(t), "fading:", math.cos(3 * t) / (1 + t))
`;

const browser = await startBrowser();
try {
  await workshop("screenshot.png");
  await guide();
} finally {
  await browser.close();
}

/** Files, a program and what it prints, drawn. */
async function workshop(name) {
  const app = await browser.page({ viewport: VIEWPORT });
  await app.connect();
  const files = await Files.open(app);
  await files.drop({ "lib/sensor.py": "def read():\n    return 21.5\n", "wave.py": WAVE, "boot.py": "", "notes.txt": "to do\n" });
  await files.waitForRow("/lib");
  await files.row("/lib").click();
  await files.waitForRow("/lib/sensor.py");
  await files.row("/wave.py").click();
  await app.page.locator("#tabs [aria-current]", { hasText: "wave.py" }).waitFor();
  await app.waitForState("ready");
  await app.button("Plot").click();
  await app.page.locator("#plot .hint").waitFor();
  await app.page.keyboard.press("Control+Enter");
  await app.waitForText("finished after");
  await app.waitForState("ready");
  await keep(app, name);
}

/** The pictures of the guide: they are part of the page, and so small. */
async function guide() {
  const app = await browser.page({ viewport: { width: 1000, height: 560 }, colorScheme: "light" });
  await app.connect();
  await app.page.locator("#examples").selectOption("Hello");
  await app.page.keyboard.press("Control+Enter");
  await app.waitForText("finished after");
  await app.waitForState("ready");
  await keepForGuide(app, "first-board");
  const files = await Files.open(app);
  await files.drop({ "lib/sensor.py": "def read():\n    return 21.5\n", "main.py": "import sensor\n\nprint(sensor.read())\n", "notes.txt": "to do\n" });
  await files.waitForRow("/lib");
  await files.row("/lib").click();
  await files.waitForRow("/lib/sensor.py");
  await files.row("/main.py").click();
  await app.page.locator("#tabs [aria-current]", { hasText: "main.py" }).waitFor();
  await app.waitForState("ready");
  await keepForGuide(app, "files");
  await startDevice(app);
  await exported(app, "warming_150");
  await app.page.locator("#experiments canvas").waitFor();
  await keepForGuide(app, "experiments");
  await app.close();
}

async function keepForGuide(app, name) {
  const path = fileURLToPath(new URL(`../../docs/guide/pictures/${name}.jpg`, import.meta.url));
  await app.page.screenshot({ path, type: "jpeg", quality: 60 });
  console.log(`${path}: ${Math.ceil((await stat(path)).size / 1000)} kB`);
}

async function keep(app, name) {
  const path = fileURLToPath(new URL(`../../web/${name}`, import.meta.url));
  await app.page.screenshot({ path });
  await app.close();
  console.log(`${path}: ${Math.ceil((await stat(path)).size / 1000)} kB`);
}
