/** The texts of the page in a language, and which of those on the screen are none of its. */

export { textsIn } from "../../web/texts.js";

/** Number of letters of a text around its placeholders that is too small to identify it. */
const FEW = 5;
/** Stands for whatever a text is given. */
const GIVEN = "\u0001";
/** Elements that are not texts of the page: programs, the words of boards and the guide, and text for an LLM. */
const FOREIGN = "[lang=en], .cm-content, .cm-tooltip, .xterm, .transcript .asked, .agent-body details pre, script, style, noscript, svg";

/** Fills the placeholders of a text, as the page does. */
export function filled(text, given) {
  return text.replace(/\{(\w+)\}/g, (_, name) => given[name]);
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
    else yield patternOf(text.replace(/\{\w+\}|[#$]/g, GIVEN));
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
