/** Keeps the files of a board in the page in this browser, as they change, and in step with other tabs. */

import { sleep } from "../../../time.ts";
import { channelOf, type Content, contentsOf, type News, storeFiles } from "./store.ts";

/** Changes to a board's files. */
export interface Changes {
  changed: ReadonlyMap<string, Content>;
  removed: readonly string[];
}

/**
 * Stores changes on a board: at once, and while a write is in progress all further ones together. Other tabs with the
 * same board are notified of the paths, and then load the stored content: thus all tabs end with the same content,
 * whichever wrote last.
 */
export class FileKeeper {
  readonly #place: number;
  readonly #refused: (error: unknown) => void;
  /** Content to store; `undefined` to remove it. */
  #pending = new Map<string, Content | undefined>();
  /** Changes that the browser refused to store, for the next attempt. */
  #unkept: ReadonlyMap<string, Content | undefined> = new Map();
  #writing: Promise<void> | undefined;
  /** Paths that are being written to the database. */
  #underWay: ReadonlyMap<string, unknown> = new Map();
  /** Paths for which the board got another tab's content since its own was last stored. */
  #foreign = new Set<string>();
  #changed: (changes: Changes) => void = () => {};
  /** Channel to the other tabs; it does not receive its own messages. */
  readonly #channel: BroadcastChannel;
  /** Resolved when the rest has to be stored without a pause. */
  readonly #hurry = resolvable();

  /** `refused` is called if the browser refuses to store something. The next change of a file tries that again. */
  constructor(place: number, refused: (error: unknown) => void) {
    this.#place = place;
    this.#channel = new BroadcastChannel(channelOf(place));
    this.#refused = refused;
  }

  keep({ changed, removed }: Changes): void {
    for (const path of removed) this.#pending.set(path, undefined);
    for (const [path, content] of changed) if (!UNFINISHED.test(path)) this.#pending.set(path, content);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Calls `changed` with changes stored by other tabs. */
  follow(changed: (changes: Changes) => void): void {
    this.#changed = changed;
    this.#channel.onmessage = ({ data }) => {
      const paths = data as News;
      for (const path of paths) this.#foreign.add(path);
      void this.#give(paths).catch(this.#refused);
    };
  }

  /** Resolves once everything is stored, or refused. Other tabs are no longer followed. */
  async close(): Promise<void> {
    this.#channel.onmessage = null;
    this.#hurry.resolve();
    await this.#writing;
    this.#channel.close();
  }

  async #write(): Promise<void> {
    while (this.#pending.size > 0) {
      const now = new Map([...this.#unkept, ...this.#pending]);
      this.#pending = new Map();
      const began = performance.now();
      this.#underWay = now;
      this.#unkept = new Map();
      await this.#put(now).catch((error) => ((this.#unkept = now), this.#refused(error)));
      this.#underWay = new Map();
      // Endless changes are stored at intervals: writing takes half of the time at most.
      if (this.#pending.size > 0) await this.#pause(performance.now() - began);
    }
  }

  async #pause(millis: number): Promise<void> {
    await Promise.race([sleep(millis), this.#hurry.promise]);
  }

  /** Gives the board the stored content of these paths, unless it has newer content itself. */
  async #give(paths: readonly string[]): Promise<void> {
    const contents = await contentsOf(this.#place, paths);
    const [changed, removed] = [new Map<string, Content>(), [] as string[]];
    for (const [path, content] of contents) {
      if (this.#pending.has(path) || this.#underWay.has(path) || this.#unkept.has(path)) continue;
      content === undefined ? removed.push(path) : changed.set(path, content);
    }
    if (changed.size + removed.length > 0) this.#changed({ changed, removed });
  }

  async #put(changes: ReadonlyMap<string, Content | undefined>): Promise<void> {
    await storeFiles(this.#place, changes);
    this.#underWay = new Map();
    const paths = [...changes.keys()];
    this.#channel.postMessage(paths satisfies News);
    // A change that the board had made, and not reported yet when another tab's arrived, has overwritten that one.
    const crossed = paths.filter((path) => this.#foreign.delete(path));
    if (crossed.length > 0) await this.#give(crossed);
  }
}

function resolvable(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((take) => (resolve = take));
  return { promise, resolve };
}

/** A file being sent to the board, which is renamed once it is complete (`flylead_core::board`, `temporary_name`). */
const UNFINISHED = /\.[0-9a-f]{8}\.part$/;
