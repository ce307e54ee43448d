// Builds the extension: for desktops, for browsers with the WebAssembly that they need, and the plot's page.

import { copyFile, mkdir, readdir } from "node:fs/promises";
import { build } from "esbuild";

const OPTIONS = { bundle: true, logLevel: "warning" };
const CODE = { ...OPTIONS, format: "cjs", external: ["vscode"] };

await mkdir("dist/web", { recursive: true });
await build({ ...CODE, entryPoints: ["src/extension.ts"], platform: "node", target: "node20", outfile: "dist/extension.cjs" });
// The package finds its WebAssembly beside its code; an extension's host gives it the bytes.
const define = { "import.meta.url": '"https://flylead.invalid/"' };
await build({ ...CODE, entryPoints: ["src/web/extension.ts"], platform: "browser", target: "es2022", define, minify: true, outfile: "dist/web/extension.js" });
// The chart is the page's own.
const alias = { uplot: "./node_modules/uplot" };
await build({ ...OPTIONS, entryPoints: ["src/plot/page.ts"], platform: "browser", target: "es2022", alias, minify: true, outfile: "dist/plot/page.js" });
for (const part of ["board", "links", "debug"]) await copyFile(`../../wasm/pkg/${part}/flylead_wasm_bg.wasm`, `dist/web/${part}.wasm`);
await mkdir("dist/stubs", { recursive: true });
for (const wheel of await readdir("../stubs")) {
  const name = wheel.match(/^micropython_(\w+)-/)?.[1];
  if (name) await copyFile(`../stubs/${wheel}`, `dist/stubs/${name}.whl`);
}
