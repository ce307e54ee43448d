/** The guide: short pages, each about one task, which are available offline, too. */

import { showDialog } from "../ui/dialog.ts";
import { make } from "../ui/dom.ts";
import { texts } from "../texts/dialogs.ts";
import "./guide.css";
import { PAGES, titleOf } from "./pages.ts";

/** Opens the guide at a page, and optionally at a heading of it: `troubleshooting#no-such-file`. */
export function openGuide(at = "first-board"): void {
  const content = make("div", "", "content");
  const pages = make("nav");
  pages.ariaLabel = texts.guidePages;
  const article = make("article");
  article.tabIndex = 0; // It may have to be scrolled.
  article.role = "region";
  article.ariaLabel = texts.guide;
  pages.lang = article.lang = "en";
  const buttons = new Map(
    [...PAGES].map(([name, html]) => {
      const button = make("button", titleOf(html), "quiet");
      button.type = "button";
      button.addEventListener("click", () => show(name));
      return [name, button];
    }),
  );
  pages.append(...buttons.values());
  content.append(pages, article);
  article.addEventListener("click", follow);
  void showDialog(texts.guide, content, "wide guide");
  show(at);

  function show(where: string): void {
    const [name = "", heading] = where.split("#");
    article.innerHTML = PAGES.get(name) ?? "";
    for (const link of article.querySelectorAll<HTMLAnchorElement>("a[href^='http']")) Object.assign(link, { target: "_blank", rel: "noopener" });
    for (const [other, button] of buttons) button.toggleAttribute("aria-current", other === name);
    buttons.get(name)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    article.scrollTop = 0;
    if (heading) article.querySelector(`#${CSS.escape(heading)}`)?.scrollIntoView();
  }

  /** Opens a link from one page to another within the guide. */
  function follow(event: MouseEvent): void {
    const link = event.target instanceof Element && event.target.closest("a");
    const page = link && /^([a-z-]+)\.md(#.*)?$/.exec(link.getAttribute("href") ?? "");
    if (!page) return;
    event.preventDefault();
    show(`${page[1]}${page[2] ?? ""}`);
  }
}
