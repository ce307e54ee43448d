/** The agent's task: its session, its workspace, its turns and their changes. */

import { type AgentReplyOptions, type AgentResult, type AgentSession, type AgentWorkspace, applyReply, boardWorkspace, folderWorkspace } from "flylead/agent";
import type { Board } from "../../boards/boards.ts";
import { ask } from "../../storage/database.ts";
import { nameWith } from "../../boards/connection/identity.ts";
import { texts } from "../../texts/tools/agent.ts";

/** Board that the work is for. */
interface Identity {
  /** Id of the board, stable over connections: its own, or else its address. */
  id: string;
  /** Name given by the user. */
  name: string;
}

/** Place in which the commands of a reply work. */
export type Where = { kind: "board"; root: string; board: Identity } | { kind: "folder"; handle: FileSystemDirectoryHandle };

/** File before and after a turn; `undefined` if it did not exist. */
export interface Change {
  path: string;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
}

/** Executed reply. */
export interface Turn {
  /** Outbox that the reply answered. */
  sequence: number;
  when: Date;
  results: readonly AgentResult[];
  messages: string[];
  changes: Change[];
  undone: boolean;
  /** True if the page was closed before the turn's end, so that the results of its commands are unknown. */
  interrupted?: boolean;
}

/** Everything that is stored of a task. */
export interface Work {
  session: AgentSession;
  where: Where;
  turns: Turn[];
}

/** Loads the unfinished task, if any. */
export async function recallWork(): Promise<Work | undefined> {
  const work = await ask<Work | undefined>("readonly", "agent", (store) => store.get(CURRENT));
  const isKnown = work?.where.kind === "folder" || work?.where.board !== undefined;
  return isKnown ? work : undefined;
}

export async function keepWork(work: Work): Promise<void> {
  await ask("readwrite", "agent", (store) => store.put(work, CURRENT));
}

export async function forgetWork(): Promise<void> {
  await ask("readwrite", "agent", (store) => store.delete(CURRENT));
}

/** Returns a board's files as a workspace. */
export async function onBoard(board: Board, root: string): Promise<Where> {
  return { kind: "board", root, board: await board.session.use(texts.title, async () => identify(board)) };
}

/** Identifies the board in use, whose identity is known by then. */
function identify({ number, session }: Board): Identity {
  const id = session.identity!;
  const name = session.transport?.isInPage ? `${session.boardName} (${number})` : nameWith(session.boardName, id);
  return { id, name };
}

/** Runs work in the workspace, and keeps other work off its board meanwhile. Other boards are left alone. */
export async function inWorkspace<T>(where: Where, front: Board, work: (workspace: AgentWorkspace) => Promise<T>): Promise<T> {
  if (where.kind === "folder") {
    await allow(where.handle);
    return work(folderWorkspace(where.handle));
  }
  return front.session.use(texts.title, async (open) => {
    const { id, name } = identify(front);
    if (id !== where.board.id) throw new Error(texts.otherBoard({ wanted: where.board.name, front: name }));
    return work(withoutMachine(boardWorkspace(open, { root: where.root }), front));
  });
}

/** Asks for access again, because a browser forgets it when a page is closed. */
async function allow(handle: FileSystemDirectoryHandle): Promise<void> {
  const answer = await (handle as Askable).requestPermission?.({ mode: "readwrite" });
  if (answer !== undefined && answer !== "granted") throw new Error(texts.notAllowed({ folder: handle.name }));
}

type Askable = FileSystemDirectoryHandle & { requestPermission?(options: { mode: "readwrite" }): Promise<PermissionState> };

/** Hides the folders of the machine of a board in the page, which are not the user's files. */
function withoutMachine(workspace: AgentWorkspace, { session }: Board): AgentWorkspace {
  if (!session.transport?.isInPage) return workspace;
  const list = async () => (await workspace.list()).filter(({ path }) => !MACHINE.test(path));
  return { list, read: (path) => workspace.read(path), write: (path, content) => workspace.write(path, content), remove: (path) => workspace.remove(path), run: (command) => workspace.run!(command) };
}

/**
 * Executes a reply. `answer` is the user's decision on the step at a line; a step without a decision was not shown
 * because it would have failed, and the LLM is told why it fails now. Each change is stored before it is made, so that
 * it can be undone even if the page is closed meanwhile.
 */
export async function carryOut(work: Work, reply: string, workspace: AgentWorkspace, answer: (line: number) => boolean | undefined, options: AgentReplyOptions): Promise<Work> {
  const turn: Turn = { sequence: work.session.sequenceNumber, when: new Date(), results: [], messages: [], changes: [], undone: false, interrupted: true };
  const begun: Work = { ...work, turns: [...work.turns, turn] };
  const { session, messages } = await applyReply(work.session, reply, workspace, {
    ...options,
    approve: (step) => answer(step.line) ?? step.kind === "change",
    onChange: ({ line, path, before, after }) => {
      if (answer(line) === undefined) throw new Error(UNSEEN);
      turn.changes.push({ path, before, after });
      return keepWork(begun);
    },
  });
  return { ...work, session, turns: [...work.turns, { ...turn, results: session.lastResults, messages, interrupted: false }] };
}

/** Reason for refusing steps that were not shown. */
const UNSEEN = "it would have failed when the person looked at it, and so was not shown: try it again";

/** Undoes the changes of a turn, in reverse order; files changed since are left alone. Returns the result for each file. */
export async function undo(turn: Turn, workspace: AgentWorkspace): Promise<string[]> {
  const said: string[] = [];
  for (const { path, before, after } of turn.changes.toReversed()) {
    const now = await workspace.read(path);
    if (isSame(now, after)) await (before ? workspace.write(path, before) : workspace.remove(path));
    // An interrupted turn may have stored a change that it did not make.
    const isAsBefore = isSame(now, after) || isSame(now, before);
    said.push(isAsBefore ? texts.asBefore({ path }) : texts.leftAsItIs({ path }));
  }
  return said;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

const CURRENT = "current";
const MACHINE = /^(dev|home|proc|tmp)\//;
