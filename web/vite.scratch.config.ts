import { defineConfig } from "vite";

// The page may be served from any folder, and by the browser board's needs from a cross-origin isolated one.
const isolated = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

export default defineConfig({
  base: "./", resolve: { alias: { flylead: "/tmp/pagescratch/flylead.js" } },
  server: { headers: isolated, fs: { allow: [".."] } },
  preview: { headers: isolated },
  worker: { format: "es" },
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
