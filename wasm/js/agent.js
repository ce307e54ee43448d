// The agent's loop; declared in ../types/agent.d.ts.

import load, {
  AgentTurn,
  applyEdit,
  judgePath,
  newSession,
  parseInbox,
  readSession,
  renderOutbox,
  showFiles,
  splitOutbox,
} from "../pkg/agent/flylead_wasm.js";
import { loader } from "./load.js";

export { AgentTurn, applyEdit, judgePath, newSession, parseInbox, readSession, renderOutbox, showFiles, splitOutbox };
export { applyReply, boardWorkspace, folderWorkspace, previewReply, writeOutbox } from "./agent/loop.js";
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/agent/flylead_wasm_bg.wasm", import.meta.url));
