/** Checks the page for obstacles to people with disabilities. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A phone, a laptop whose page is zoomed to 200 %, a tablet upright, one on its side, a laptop. */
const SIZES = [[360, 740], [700, 450], [820, 1180], [1024, 768], [1400, 900]].map(([width, height]) => ({ width, height }));

/**
 * Lets axe look at the page as it is at each width, light and dark, and leaves it as it was. One page is made wider and narrower, for
 * what opened the view need not be done again. Pictures are taken of the phone in the dark and of the laptop in the light.
 */
export async function view(app, name) {
  await atEachSize(app, async (size, at) => {
    // Between light and dark nothing moves: what is no color is looked at once.
    await look(app, `${name}-${size.width}-dark`, "dark", { shot: at === 0 });
    await look(app, `${name}-${size.width}-light`, "light", { shot: at === SIZES.length - 1, runOnly: ["color-contrast"] });
  });
}

/** Looks like {@link view} at what is but a small part of one, such as a dialog: at each width in the dark or in the light. */
export async function glance(app, name) {
  await atEachSize(app, async (size, at) => {
    const colorScheme = at % 2 === 0 ? "dark" : "light";
    await look(app, `${name}-${size.width}-${colorScheme}`, colorScheme, { shot: at === 0 || at === SIZES.length - 1 });
  });
}

/** Looks once, on a phone in the light. */
export async function glimpse(app, name) {
  await atEachSize(app, (size) => look(app, `${name}-${size.width}-light`, "light", { shot: true }), SIZES.slice(0, 1));
}

async function atEachSize({ page }, work, sizes = SIZES) {
  const before = page.viewportSize();
  await page.evaluate(`globalThis.axe ?? (() => { ${AXE} })()`);
  for (const [at, size] of sizes.entries()) {
    await page.setViewportSize(size);
    await work(size, at);
  }
  await page.setViewportSize(before);
}

async function look(app, name, colorScheme, { shot, ...options }) {
  const { page } = app;
  await page.emulateMedia({ colorScheme });
  await settled(page);
  if (shot) await app.shot(name);
  const { violations } = await page.evaluate((options) => globalThis.axe.run(document, { resultTypes: ["violations"], ...options }), options);
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`), [], name);
}

/** Waits for two frames, and for what moves or changes its color: half-way it is neither. */
function settled(page) {
  return page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const ends = document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
    await Promise.allSettled(ends.map(({ finished }) => finished));
  });
}
