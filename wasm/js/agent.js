// The agent; declared in ../types/agent.d.ts.

import load, {
  applyEdit,
  applyReply,
  judgePath,
  looksSecret,
  newSession,
  parseInbox,
  readSession,
  renderOutbox,
  showFiles,
  splitOutbox,
} from "../pkg/agent/flylead_wasm.js";
import { loader } from "./load.js";

export { applyEdit, applyReply, judgePath, looksSecret, newSession, parseInbox, readSession, renderOutbox, showFiles, splitOutbox };
export { previewReply, writeOutbox } from "./agent/reply.js";
export { boardWorkspace, folderWorkspace } from "./agent/workspaces.js";
export { isFlyleadError } from "./errors.js";

export const init = loader(load, new URL("../pkg/agent/flylead_wasm_bg.wasm", import.meta.url));
