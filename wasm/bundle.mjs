// Makes the two scripts of the board's frame: `node bundle.mjs`. Each is one classic script, for a frame without an origin is handed texts.

import { build } from "rolldown";

const OUT = new URL("pkg/guest/", import.meta.url).pathname;
const SCRIPTS = { host: "host.js", worker: "guest-worker.js" };

for (const [name, entry] of Object.entries(SCRIPTS)) {
  await build({
    input: new URL(`js/browser-board/${entry}`, import.meta.url).pathname,
    output: { file: `${OUT}${name}.js`, format: "iife", minify: true, comments: false },
    logLevel: "warn",
  });
}
