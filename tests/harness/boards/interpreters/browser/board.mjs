// The board that the page has, on the terminal of this process: `node board.mjs`, once the terminal is raw.
//
// It is the package's own board with its MicroPython, in a thread of Node.

import { openBrowserBoard } from "../../../../../wasm/js/browser-board/link.js";

const link = await openBrowserBoard();

async function print() {
  for await (const bytes of link.readable) process.stdout.write(bytes);
}

async function type() {
  const keyboard = link.writable.getWriter();
  for await (const bytes of process.stdin) await keyboard.write(new Uint8Array(bytes));
}

await Promise.race([print(), type()]);
await link.close();
