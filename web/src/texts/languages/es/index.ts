/** Spanish. The user is “tú”, a board is a “placa”, as in the micro:bit's editor. */

export { default as agent } from "./tools/agent.json";
export { default as board } from "./board.json";
export { default as common } from "./common.json";
export { default as debug } from "./tools/debug.json";
export { default as device } from "./tools/device.json";
export { default as dialogs } from "./dialogs.json";
export { default as editor } from "./editor.json";
export { default as experiments } from "./tools/experiments.json";
export { default as files } from "./tools/files.json";
export { default as flash } from "./tools/flash.json";
export { default as packages } from "./tools/packages.json";
export { default as page } from "./page.json";
export { default as phrases } from "./phrases.json";
export { default as pins } from "./pins.json";
export { default as plot } from "./plot.json";
export { default as program } from "./program.json";
export { default as writing } from "./writing.json";
export { default as zylisp } from "./tools/zylisp.json";
