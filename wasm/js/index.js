// The package's front door. What is here is declared, with its promises, in ../types.d.ts.

import load, {
  AgentTurn,
  applyEdit,
  Board,
  Evaluation,
  Fetch,
  Files,
  judgePath,
  newSession,
  parseInbox,
  readSession,
  Recorder,
  renderOutbox,
  Run,
  showFiles,
  splitOutbox,
  Transfer,
  Zylisp,
} from "../pkg/flylead_wasm.js";

export { AgentTurn, Board, Evaluation, Fetch, Files, Recorder, Run, Transfer, Zylisp };
export { applyEdit, judgePath, newSession, parseInbox, readSession, renderOutbox, showFiles, splitOutbox };
export { applyReply, boardWorkspace, folderWorkspace, previewReply, writeOutbox } from "./agent.js";
export { openBrowserBoard } from "./browser-board/link.js";
export { isFlyleadError } from "./errors.js";
export { hasSerial, onSerialConnect, onSerialDisconnect, openSerial, serialPorts } from "./serial.js";
export { openSocket } from "./socket.js";

/** @type {Promise<void> | undefined} */
let loaded;

/** Loads the WebAssembly once; a failed attempt may be repeated. */
export function init(source) {
  loaded ??= instantiate(source).catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function instantiate(source) {
  await load(source === undefined ? undefined : { module_or_path: await source });
}
