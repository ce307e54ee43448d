// The examples of the README.

import { readFile } from "node:fs/promises";

const README = new URL("../README.md", import.meta.url);

/** Each TypeScript block: its code, and whether it is meant to run in a page. */
export async function examples() {
  const text = await readFile(README, "utf8");
  return [...text.matchAll(/^```ts( run)?\n(.*?)^```$/gms)].map(([, run, code]) => ({ code, runs: run !== undefined }));
}
