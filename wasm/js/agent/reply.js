// Renders messages for the LLM, and previews its replies. The rules are in the WebAssembly.

import { applyReply, renderOutbox, showFiles } from "../../pkg/agent/flylead_wasm.js";

/** Renders the message that waits to be pasted into a chat. */
export async function writeOutbox(session, workspace) {
  const files = await workspace.list();
  const requests = session.readFileRequests;
  const found = [];
  for (const request of requests) {
    const path = typeof request === "string" ? request : request.path;
    found.push((await workspace.read(path).catch(String)) ?? "not found");
  }
  const shown = files.slice(0, LISTED);
  const contents = showFiles(requests, found);
  return renderOutbox({ session, files: shown, moreFiles: files.length - shown.length, contents });
}

/** Previews the effect of a reply, on a copy in memory. */
export async function previewReply(session, reply, workspace, options) {
  const previews = [];
  const done = await applyReply(session, reply, inMemory(workspace), {
    ...options,
    approve: (step) => (step.kind === "run" && previews.push(step), true),
    onChange: (change) => void previews.push(change),
  });
  return { previews, results: done.session.lastResults };
}

/** Overlays a workspace with changes in memory. Commands are not run, and count as successes. */
function inMemory(workspace) {
  const changed = new Map();
  return {
    read: async (path) => (changed.has(path) ? changed.get(path) : workspace.read(path)),
    write: async (path, after) => void changed.set(path, after),
    remove: async (path) => void changed.set(path, undefined),
    run: workspace.run && (async (command) => ({ success: true, summary: command })),
  };
}

/** Limit of listed files. */
const LISTED = 2000;
