// The documentation site. `cargo xtask docs` writes commands/ and protocols/ beside these pages, and builds all of it.
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import generated from "./generated.json" with { type: "json" };

const REPOSITORY = "https://github.com/flylead/flylead";
const docs = join(dirname(fileURLToPath(import.meta.url)), "..");

export default defineConfig({
  title: "Flylead",
  description:
    "The workbench for MicroPython boards: flash, edit, run, debug, test, share; in the terminal, the browser and the editor; one Rust core",
  lang: "en",
  base: process.env.FLYLEAD_DOCS_BASE ?? "/",
  outDir: "../target/site",
  cacheDir: "../target/xtask/vitepress",
  // Fonts and pictures come with the site: it shows no third party who reads it.
  head: [],
  lastUpdated: false,
  // References are put beside the pages after they are built; `cargo xtask docs` checks their links then.
  ignoreDeadLinks: [/^\/(rust|typescript|python|try)\//],
  srcExclude: ["node_modules/**"],
  markdown: { config: (markdown) => markdown.core.ruler.push("repository", linkToRepository) },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
    nav: [
      { text: "Start", link: "/start/tutorial" },
      { text: "Commands", link: "/commands/" },
      { text: "Recipes", link: "/recipes/ci" },
      { text: "Protocols", link: "/protocols/" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "Install", link: "/start/install" },
          { text: "Your first board", link: "/start/first-board" },
          { text: "Tutorial", link: "/start/tutorial" },
        ],
      },
      {
        text: "Use",
        items: [
          { text: "Boards and ports", link: "/use/boards" },
          { text: "In a terminal", link: "/use/terminal" },
          { text: "mpremote's lines", link: "/use/mpremote" },
          { text: "In the page", link: "/use/page" },
          { text: "Debug on a board", link: "/use/debugging" },
          { text: "Test on boards", link: "/use/testing" },
          { text: "With an assistant", link: "/use/assistants" },
          { text: "In your own programs", link: "/use/libraries" },
        ],
      },
      {
        text: "More rooms",
        items: [
          { text: "Experiments", link: "/use/experiments" },
          { text: "An LLM on a folder", link: "/use/agent" },
          { text: "Zylisp", link: "/use/zylisp" },
        ],
      },
      { text: "Recipes", items: generated.recipes },
      { text: "The page's guide", collapsed: true, items: generated.guide },
      { text: "Commands", collapsed: true, items: [{ text: "All commands", link: "/commands/" }, ...generated.commands] },
      { text: "Protocols", collapsed: true, items: [{ text: "All protocols", link: "/protocols/" }, ...generated.protocols] },
      {
        text: "References",
        items: [
          { text: "Rust", link: "/rust/flylead_native/index.html", target: "_self" },
          { text: "TypeScript", link: "/typescript/index.html", target: "_self" },
          { text: "Python", link: "/python/flylead.html", target: "_self" },
          { text: "Figures", link: "/figures" },
          { text: "How we write", link: "/style" },
          { text: "Good first issues", link: "/first-issues" },
        ],
      },
    ],
  },
});

/** Turns links to files of the repository outside of docs/ into links to the repository. */
function linkToRepository(state) {
  const folder = dirname(state.env.path ?? docs);
  for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
    const href = token.type === "link_open" ? token.attrGet("href") : undefined;
    if (!href?.startsWith(".")) continue;
    const target = normalize(join(folder, decodeURI(href.split("#")[0])));
    if (!target.startsWith(`${docs}/`) && existsSync(target)) {
      token.attrSet("href", `${REPOSITORY}/blob/main/${target.slice(dirname(docs).length + 1)}`);
    }
  }
}
