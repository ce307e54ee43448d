import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { Marked } from "marked";
import { defineConfig } from "vite";
import { textsIn } from "./texts.js";

// The page may be served from any folder, and by the browser board's needs from a cross-origin isolated one.
const isolated = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * Files loaded only for writing programs, and not in every copy of the page: `native/command/build.rs`
 * lists the same names.
 */
const LATER = /\/(ruff_wasm_bg|pyright\.worker|micropython_\w+_stubs)[^/]*$/;
/** Of brotli. The best one of ruff, 2.6 MB instead of 3.0 MB, takes a minute instead of 6 s. */
const [QUICK, BEST] = [9, 11];

/**
 * Takes the stubs of CPython out of basedpyright, 14 MB of its 17: no board has what they describe, and boards have their own.
 *
 * @returns {import("vite").Plugin}
 */
function withoutCPython() {
  return {
    name: "without-cpython",
    apply: "build",
    generateBundle(_, bundle) {
      const worker = Object.values(bundle).find(({ fileName }) => /\/pyright\.worker-[^/]*\.js$/.test(fileName));
      if (!worker) return this.error("basedpyright is not part of the page");
      const source = typeof worker.source === "string" ? worker.source : new TextDecoder().decode(worker.source);
      const [begin, end] = [source.indexOf(STUBS_BEGIN), source.indexOf(STUBS_END)];
      if (begin < 0 || end < begin) return this.error("the stubs are elsewhere in this version of basedpyright: look for its module with /typeshed/LICENSE");
      worker.source = source.slice(0, begin) + STUBS_BEGIN.slice(0, STUBS_BEGIN.indexOf('"')) + source.slice(end);
    },
  };
}

/** The module before the stubs' content, and the end of it with the begin of the next one (basedpyright 1.39.4). */
const STUBS_BEGIN = '{e.exports={"/typeshed/LICENSE"';
const STUBS_END = '}},9581(e,n,t){"use strict";Object.defineProperty(n,"__esModule",{value:!0}),n.BrowserBackgroundAnalysisRunner';

/** The kinds of files that the page is made of. */
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Writes the service worker, which has to know every file that was built, and what is in it.
 *
 * @returns {import("vite").Plugin}
 */
function offline() {
  return {
    name: "offline",
    apply: "build",
    writeBundle: {
      // What is written is what the browser will get. `compressed` comes after it.
      order: "pre",
      sequential: true,
      handler({ dir }) {
        const names = readdirSync(dir, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".br"))
          .map(({ parentPath, name }) => relative(dir, join(parentPath, name)).replaceAll("\\", "/"))
          .filter((name) => name !== "service-worker.js")
          .sort();
        const hashes = (wanted) => Object.fromEntries(names.filter(wanted).map((name) => [name === "index.html" ? "./" : name, createHash("sha256").update(readFileSync(join(dir, name))).digest("base64")]));
        const [files, later] = [hashes((name) => !LATER.test(name)), hashes((name) => LATER.test(name))];
        const version = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 12);
        const source = readFileSync(new URL("src/app/offline.worker.js", import.meta.url), "utf8");
        const policy = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(readFileSync(join(dir, "index.html"), "utf8"));
        if (!policy) return this.error("index.html has no policy");
        const worker = source.replace("__TYPES__", JSON.stringify(TYPES)).replace("__POLICY__", `${policy[1]}; frame-ancestors 'none'`).replace("__VERSION__", version).replace("__FILES__", JSON.stringify(files)).replace("__LATER__", JSON.stringify(later));
        writeFileSync(join(dir, "service-worker.js"), worker);
      },
    },
  };
}

/**
 * Makes HTML of a page of the guide, which is Markdown, with its pictures as files of the page. Headings have the names that they have
 * on GitHub, so that one link leads to the same place there and here.
 *
 * @returns {import("vite").Plugin}
 */
function guide() {
  return {
    name: "guide",
    transform(source, id) {
      if (!id.endsWith(".md")) return undefined;
      const pictures = [];
      const marked = new Marked({
        renderer: {
          heading({ tokens, depth, text }) {
            const name = text.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-");
            return `<h${depth + 1} id="${name}">${this.parser.parseInline(tokens)}</h${depth + 1}>\n`;
          },
          image({ href, text }) {
            pictures.push(href);
            return `<img src="picture:${pictures.length - 1}" alt="${text}" loading="lazy">`;
          },
        },
      });
      const html = marked.parse(source);
      const imports = pictures.map((href, at) => `import picture${at} from ${JSON.stringify(`./${href}?url`)};`);
      const put = pictures.map((_, at) => `.replace("picture:${at}", picture${at})`);
      return { code: `${imports.join("\n")}\nexport default ${JSON.stringify(html)}${put.join("")};`, map: null };
    },
  };
}

/**
 * Puts the texts of index.html in place of their names: `{{name}}`.
 *
 * @returns {import("vite").Plugin}
 */
function texts() {
  const { page } = textsIn("en");
  const text = (_, name) => {
    if (!(name in page)) throw new Error(`index.html wants the text ${name}, which src/texts/languages/en/page.json has not`);
    return page[name].replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  };
  return { name: "texts", transformIndexHtml: { order: "pre", handler: (html) => html.replace(/\{\{(\w+)\}\}/g, text) } };
}

/**
 * Lets the browser fetch what `src/main.ts` imports next while it still reads index.html.
 *
 * @returns {import("vite").Plugin}
 */
function early() {
  return {
    name: "early",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const chunks = Object.values(bundle).filter(({ type, name }) => type === "chunk" && name !== "main");
        const wanted = chunks.filter(({ name }) => name === "app");
        for (const { imports } of wanted) for (const name of imports) if (chunks.includes(bundle[name]) && !wanted.includes(bundle[name])) wanted.push(bundle[name]);
        const styles = new Set(wanted.flatMap(({ viteMetadata }) => [...viteMetadata.importedCss]));
        return [
          ...wanted.map(({ fileName }) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `./${fileName}` }, injectTo: "head" })),
          ...[...styles].map((name) => ({ tag: "link", attrs: { rel: "stylesheet", crossorigin: true, href: `./${name}` }, injectTo: "head" })),
        ];
      },
    },
  };
}

/**
 * Keeps together what the page begins with: many small files are more on the wire than a few. What must be there before the
 * language is (`src/main.ts`) is apart from what has texts (`src/app/app.ts`); the editor comes after both.
 *
 * @returns {import("rolldown").CodeSplittingGroup[]}
 */
function beginnings() {
  const group = (name, file, priority) => {
    let ids;
    return { priority, name: (id, context) => ((ids ??= staticImports(fileURLToPath(new URL(file, import.meta.url)), context)).has(id) ? name : null) };
  };
  return [group("main", "src/main.ts", 3), group("app", "src/app/app.ts", 2), group("editor", "src/editor/editor.ts", 1)];
}

/** A module and all that it imports, but for what it imports later. */
function staticImports(id, context, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const next of context.getModuleInfo(id)?.importedIds ?? []) staticImports(next, context, found);
  return found;
}

/**
 * Puts `NAME.br` beside what it makes smaller, for `flylead serve`.
 *
 * @returns {import("vite").Plugin}
 */
function compressed() {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir }) {
      const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.endsWith(".br"));
      for (const { parentPath, name } of files) {
        const path = join(parentPath, name);
        const content = readFileSync(path);
        const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length, [constants.BROTLI_PARAM_QUALITY]: LATER.test(path) ? QUICK : BEST } });
        if (brotli.length < content.length) writeFileSync(`${path}.br`, brotli);
      }
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [texts(), early(), guide(), withoutCPython(), offline(), compressed()],
  server: { headers: isolated, fs: { allow: [".."] } },
  preview: { headers: isolated },
  worker: { format: "es" },
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, rolldownOptions: { output: { codeSplitting: { groups: beginnings() } } } },
});
