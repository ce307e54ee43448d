/** Translates index.html, which is served in English. */

import english from "./languages/en/page.json";

/** Replaces each text of ours in the document, whether it is in an element or in an attribute. */
export function translatePage(texts: Record<string, string>, language: string): void {
  const translated = new Map(Object.entries(english).map(([name, text]) => [text, texts[name]]));
  const inPlaceOf = (text: string) => {
    const found = translated.get(text.trim());
    return found === undefined ? undefined : text.replace(text.trim(), () => found);
  };
  document.documentElement.lang = language;
  document.title = translated.get(document.title) ?? document.title;
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) nodes.currentNode.nodeValue = inPlaceOf(nodes.currentNode.nodeValue!) ?? nodes.currentNode.nodeValue;
  for (const element of document.body.querySelectorAll("*")) {
    for (const name of ATTRIBUTES) {
      const text = inPlaceOf(element.getAttribute(name) ?? "");
      if (text !== undefined) element.setAttribute(name, text);
    }
  }
}

const ATTRIBUTES = ["aria-label", "title", "placeholder", "label"];
