/**
 * Which of the boards in this browser's pages a tab has: each tab its own, with its own files, and after a reload the same one
 * again. A slot is a Web Lock, which ends with the tab however that ends.
 */

import { keepInThisTab, recallInThisTab } from "../storage.ts";
import { texts } from "../texts/board.ts";

export interface Slot {
  /** From 1. */
  readonly number: number;
  release(): void;
}

/** A slot for this board of the page: the one that it had in this tab before, or the first one that no other tab has. */
export async function takeSlot(board: number): Promise<Slot> {
  if (!navigator.locks) return { number: board, release() {} };
  const remembered = Number(recallInThisTab(`${NAME}.${board}`));
  const slot = (remembered > 0 ? await takeBack(remembered) : undefined) ?? (await takeFree(board));
  keepInThisTab(`${NAME}.${board}`, String(slot.number));
  return slot;
}

/** The slot that this board of the page had in this tab, or would have if no other tab had it. */
export function usualSlot(board: number): number {
  return Number(recallInThisTab(`${NAME}.${board}`)) || board;
}

/**
 * The slot that this tab had, unless a tab says that it has it: one that was made as a copy of this. The page that this one
 * has replaced may hold it for a moment longer, and says nothing any more.
 */
async function takeBack(number: number): Promise<Slot | undefined> {
  const taken = new AbortController();
  const channel = new BroadcastChannel(lockName(number));
  channel.onmessage = ({ data }) => data === TAKEN && taken.abort();
  channel.postMessage(WHOSE);
  const timer = setTimeout(() => taken.abort(), PATIENCE_MS);
  try {
    return hold(number, await granted(lockName(number), { signal: taken.signal }));
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    channel.close();
  }
}

async function takeFree(first: number): Promise<Slot> {
  for (const number of [first, ...Array.from({ length: MOST }, (_, at) => at + 1)]) {
    const slot = hold(number, await granted(lockName(number), { ifAvailable: true }));
    if (slot) return slot;
  }
  throw new Error(texts.tooManyTabs(MOST));
}

/** Who holds a slot says so to whoever asks. */
function hold(number: number, release: (() => void) | undefined): Slot | undefined {
  if (!release) return undefined;
  const channel = new BroadcastChannel(lockName(number));
  channel.onmessage = ({ data }) => data === WHOSE && channel.postMessage(TAKEN);
  return { number, release: () => (channel.close(), release()) };
}

function lockName(number: number): string {
  return `flylead.${NAME}.${number}`;
}

/** What lets the lock go; none where it is not available. */
function granted(name: string, options: LockOptions): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(name, options, (lock) => (lock ? new Promise<void>((release) => resolve(release)) : resolve(undefined)));
    held.catch(reject);
  });
}

const NAME = "page-board";
const WHOSE = "whose";
const TAKEN = "taken";
const MOST = 50;
/** How long a page that is going may hold a lock; a page that stays answers long before that. */
const PATIENCE_MS = 20_000;
