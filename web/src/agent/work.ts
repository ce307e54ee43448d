/** The agent's task: its session, the workspace it works in, its turns and what they changed. */

import { AgentTurn, type AgentResult, type AgentSession, type AgentTask, type AgentWorkspace, boardWorkspace, folderWorkspace } from "flylead/agent";
import { ask } from "../database.ts";
import type { Session } from "../session.ts";

/** Where the commands of a reply work. */
export type Where = { kind: "board"; root: string } | { kind: "folder"; handle: FileSystemDirectoryHandle };

/** A file before and after a turn; `undefined`: it was not there. */
export interface Change {
  path: string;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}

/** A reply that was carried out. */
export interface Turn {
  /** The outbox that it answered. */
  sequence: number;
  when: Date;
  results: readonly AgentResult[];
  messages: string[];
  changes: Change[];
  undone: boolean;
}

/** Everything that is kept of a task. */
export interface Work {
  session: AgentSession;
  where: Where;
  turns: Turn[];
}

/** The task that was left, if one was. */
export function recallWork(): Promise<Work | undefined> {
  return ask("readonly", "agent", (store) => store.get(CURRENT));
}

export async function keepWork(work: Work): Promise<void> {
  await ask("readwrite", "agent", (store) => store.put(work, CURRENT));
}

export async function forgetWork(): Promise<void> {
  await ask("readwrite", "agent", (store) => store.delete(CURRENT));
}

/** Does something in the workspace, while the board, if it is that, does nothing else. */
export async function inWorkspace<T>(where: Where, board: Session, work: (workspace: AgentWorkspace) => Promise<T>): Promise<T> {
  if (where.kind === "board") return board.use("Agent", (open) => work(withoutMachine(boardWorkspace(open, { root: where.root }), board)));
  await allow(where.handle);
  return work(folderWorkspace(where.handle));
}

/** A browser forgets what it allowed when a page is closed, and asks again. */
async function allow(handle: FileSystemDirectoryHandle): Promise<void> {
  const answer = await (handle as Askable).requestPermission?.({ mode: "readwrite" });
  if (answer !== undefined && answer !== "granted") throw new Error(`The browser does not let this page work in ${handle.name}.`);
}

type Askable = FileSystemDirectoryHandle & { requestPermission?(options: { mode: "readwrite" }): Promise<PermissionState> };

/** The board in the page has folders of its machine, which are nobody's files. */
function withoutMachine(workspace: AgentWorkspace, board: Session): AgentWorkspace {
  if (!board.way?.isInPage) return workspace;
  const list = async () => (await workspace.list()).filter(({ path }) => !MACHINE.test(path));
  return { list, read: (path) => workspace.read(path), write: (path, content) => workspace.write(path, content), remove: (path) => workspace.remove(path), run: (command) => workspace.run!(command) };
}

/** Carries a reply out; what `isAccepted` refuses by its line is told to the LLM as refused. */
export async function carryOut(work: Work, reply: string, workspace: AgentWorkspace, isAccepted: (line: number) => boolean, acceptCopy: boolean): Promise<Work> {
  using turn = new AgentTurn(work.session, reply, { acceptCopy, force: true });
  const changes: Change[] = [];
  for (let task = turn.next(); task; task = turn.next()) {
    try {
      if (task.kind !== "read" && !isAccepted(task.line)) turn.failed(refusal(task));
      else if (task.kind === "read") await find(task.path);
      else if (task.kind === "change") await change(task.path);
      else await run(task.command);
    } catch (error) {
      turn.failed(error instanceof Error ? error.message : String(error));
    }
  }
  const { messages } = turn;
  const session = turn.end();
  const done: Turn = { sequence: work.session.sequenceNumber, when: new Date(), results: session.lastResults, messages, changes, undone: false };
  return { ...work, session, turns: [...work.turns, done] };

  async function find(path: string): Promise<void> {
    const content = await workspace.read(path);
    if (content) turn.found(content);
    else turn.failed(`File '${path}' not found`);
  }

  async function change(path: string): Promise<void> {
    const before = await workspace.read(path);
    const planned = turn.change(before);
    if (!planned) return;
    if (planned.after) await workspace.write(path, planned.after);
    else await workspace.remove(path);
    changes.push({ path, before, after: planned.after });
    turn.changed();
  }

  async function run(command: string): Promise<void> {
    if (!workspace.run) return turn.failed("There is nothing here that could run commands.");
    const { success, summary, output } = await workspace.run(command);
    turn.ran(success, summary, output);
  }
}

/** Puts back what a turn changed, the last change first; what has changed since stays. Says what became of each file. */
export async function undo(turn: Turn, workspace: AgentWorkspace): Promise<string[]> {
  const said: string[] = [];
  for (const { path, before, after } of turn.changes.toReversed()) {
    const now = await workspace.read(path);
    if (!isSame(now, after)) {
      said.push(`${path}: left as it is, it has changed since`);
      continue;
    }
    if (before) await workspace.write(path, before);
    else await workspace.remove(path);
    said.push(`${path}: as before`);
  }
  return said;
}

function refusal(task: AgentTask): string {
  return task.kind === "run" ? "The person did not let this run." : `'${task.path}' is as it was: the person refused the change.`;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

const CURRENT = "current";
const MACHINE = /^(dev|home|proc|tmp)\//;
