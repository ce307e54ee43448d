/** The texts of the page in a language, and which of those on the screen are none of its. */

import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename } from "node:path";

// What builds the page takes the types out of its sources: Node cannot everywhere.
const { transformSync } = await import(createRequire(new URL("../../web/package.json", import.meta.url)).resolve("rolldown/utils"));

const TEXTS = new URL("../../web/src/texts/", import.meta.url);
/** Number of letters of a text around its parameters that is too small to identify it. */
const FEW = 5;
/** Stands for whatever a text is given. */
const GIVEN = "\u0001";
/** Elements that are not texts of the page: programs, the words of boards and the guide, and text for an LLM. */
const FOREIGN = "[lang=en], .cm-content, .cm-tooltip, .xterm, .transcript .asked, .agent-body details pre, script, style, noscript, svg";

/** The texts of a language by their parts: `{ files: { newFile: "…" } }`. */
export async function textsIn(language) {
  const folder = language === "en" ? TEXTS : new URL(`translations/${language}/`, TEXTS);
  const none = ["index.ts", "translate.ts"];
  const inFolders = await Promise.all([folder, new URL("tools/", folder)].map(async (one) => (await readdir(one)).map((name) => new URL(name, one))));
  const files = inFolders.flat().filter(({ pathname }) => pathname.endsWith(".ts") && !none.includes(basename(pathname)));
  const parts = files.map(async (file) => {
    const part = basename(file.pathname, ".ts");
    return [part, await load(file, language === "en" ? "english" : part)];
  });
  return Object.fromEntries(await Promise.all(parts));
}

async function load(file, name) {
  const source = (await readFile(file, "utf8")).replace(/^import \{ spoken \}.*$/m, "const spoken = (_, texts) => texts;");
  const { code } = transformSync(file.pathname, source);
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`))[name];
}

/**
 * Returns the English texts that the page shows or would read aloud, and that are not among `own`.
 */
export async function englishIn(app, english, own) {
  const [isEnglish, isOwn] = [matcher(english), matcher(own)];
  return (await shownIn(app)).filter((text) => isEnglish(text) && !isOwn(text));
}

function matcher(texts) {
  const patterns = Object.values(texts).flatMap((part) => [...patternsOf(part)]);
  return (text) => patterns.some((pattern) => pattern?.test(text));
}

function* patternsOf(texts) {
  for (const text of Object.values(texts)) {
    if (typeof text === "object") yield* patternsOf(text);
    else yield patternOf(typeof text === "function" ? text(...Array(text.length).fill(GIVEN)) : text.replace("#", GIVEN));
  }
}

/** None, where next to nothing is the page's: what a board says may look like `… on …`. */
function patternOf(text) {
  if (text.includes(GIVEN) && text.replace(/[^\p{L}]/gu, "").length < FEW) return undefined;
  const escaped = text.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(GIVEN, ".+")}$`, "s");
}

function shownIn({ page }) {
  return page.evaluate((foreign) => {
    const texts = new Set([document.title]);
    const isForeign = (element) => element.closest(foreign) !== null;
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const parent = nodes.currentNode.parentElement;
      if (!isForeign(parent) && (parent.closest("select")?.checkVisibility() || parent.checkVisibility())) texts.add(nodes.currentNode.nodeValue.trim());
    }
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [label]")) {
      if (isForeign(element) || !element.checkVisibility()) continue;
      for (const name of ["aria-label", "title", "placeholder", "label"]) texts.add((element.getAttribute(name) ?? "").trim());
    }
    return [...texts].filter((text) => text !== "");
  }, FOREIGN);
}
