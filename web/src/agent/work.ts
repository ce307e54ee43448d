/** The agent's task: its session, the workspace it works in, its turns and what they changed. */

import { type AgentReplyOptions, type AgentResult, type AgentSession, type AgentWorkspace, applyReply, boardWorkspace, folderWorkspace } from "flylead/agent";
import type { Board } from "../boards.ts";
import { ask } from "../database.ts";
import { nameWith } from "../identity.ts";
import { texts } from "../texts/agent.ts";

/** Board that the work is for. */
interface Identity {
  /** Id of the board, stable over connections: its own, or else its address. */
  id: string;
  /** Name that the person gave it. */
  name: string;
}

/** Place in which the commands of a reply work. */
export type Where = { kind: "board"; root: string; board: Identity } | { kind: "folder"; handle: FileSystemDirectoryHandle };

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
  /** The page was closed before its end: what became of its commands is not known. */
  interrupted?: boolean;
}

/** Everything that is kept of a task. */
export interface Work {
  session: AgentSession;
  where: Where;
  turns: Turn[];
}

/** The task that was left, if one was. */
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

/** The files of a board, as a place to work. */
export async function onBoard(board: Board, root: string): Promise<Where> {
  return { kind: "board", root, board: await board.session.use(texts.title, async () => identify(board)) };
}

/** The board that is being used, and so was asked. */
function identify({ number, session }: Board): Identity {
  const id = session.identity!;
  const name = session.transport?.isInPage ? `${session.boardName} (${number})` : nameWith(session.boardName, id);
  return { id, name };
}

/** Does something in the workspace, while the board, if it is that, does nothing else. Another board is left alone. */
export async function inWorkspace<T>(where: Where, front: Board, work: (workspace: AgentWorkspace) => Promise<T>): Promise<T> {
  if (where.kind === "folder") {
    await allow(where.handle);
    return work(folderWorkspace(where.handle));
  }
  return front.session.use(texts.title, async (open) => {
    const { id, name } = identify(front);
    if (id !== where.board.id) throw new Error(texts.otherBoard(where.board.name, name));
    return work(withoutMachine(boardWorkspace(open, { root: where.root }), front));
  });
}

/** A browser forgets what it allowed when a page is closed, and asks again. */
async function allow(handle: FileSystemDirectoryHandle): Promise<void> {
  const answer = await (handle as Askable).requestPermission?.({ mode: "readwrite" });
  if (answer !== undefined && answer !== "granted") throw new Error(texts.notAllowed(handle.name));
}

type Askable = FileSystemDirectoryHandle & { requestPermission?(options: { mode: "readwrite" }): Promise<PermissionState> };

/** The board in the page has folders of its machine, which are nobody's files. */
function withoutMachine(workspace: AgentWorkspace, { session }: Board): AgentWorkspace {
  if (!session.transport?.isInPage) return workspace;
  const list = async () => (await workspace.list()).filter(({ path }) => !MACHINE.test(path));
  return { list, read: (path) => workspace.read(path), write: (path, content) => workspace.write(path, content), remove: (path) => workspace.remove(path), run: (command) => workspace.run!(command) };
}

/**
 * Carries a reply out. `answer` is what the person said to the step at a line; who was not asked about one is because it
 * would have failed, and then the LLM is told why it fails now. Each change is kept before it is made, so that a page
 * that is closed meanwhile can still put it back.
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

/** Nothing is done that was not shown. */
const UNSEEN = "it would have failed when the person looked at it, and so was not shown: try it again";

/** Puts back what a turn changed, the last change first; what has changed since stays. Says what became of each file. */
export async function undo(turn: Turn, workspace: AgentWorkspace): Promise<string[]> {
  const said: string[] = [];
  for (const { path, before, after } of turn.changes.toReversed()) {
    const now = await workspace.read(path);
    if (isSame(now, after)) await (before ? workspace.write(path, before) : workspace.remove(path));
    // An interrupted turn may have kept a change that it did not make.
    const isAsBefore = isSame(now, after) || isSame(now, before);
    said.push(isAsBefore ? texts.asBefore(path) : texts.leftAsItIs(path));
  }
  return said;
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (!one || !other) return one === other;
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

const CURRENT = "current";
const MACHINE = /^(dev|home|proc|tmp)\//;
