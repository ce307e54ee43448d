/** Takes the picture of the page that the README shows: `npm run screenshot`, after the page was built. */

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./bench.js";

const PICTURE = fileURLToPath(new URL("../../web/screenshot.png", import.meta.url));

const browser = await startBrowser();
const bench = await browser.page({ viewport: { width: 1200, height: 720 } });
await bench.connect();
await bench.page.getByLabel("Open an example").selectOption("Draw a sine");
await bench.page.keyboard.press("Control+Enter");
await bench.waitForText("finished after");
await bench.waitForState("ready");
await bench.page.getByLabel("Open an example").selectOption("A mistake to find");
await bench.page.keyboard.press("Control+Enter");
await bench.page.locator("#problem").waitFor();
await bench.waitForState("ready");
await bench.page.screenshot({ path: PICTURE });
await bench.close();
await browser.close();
console.log(`${PICTURE}: ${Math.ceil((await stat(PICTURE)).size / 1000)} kB`);
