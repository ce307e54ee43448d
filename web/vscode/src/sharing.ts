/** Sharing of boards: `flylead serve` owns a board, so that the prompt, programs, files and other windows take turns. */

import type { ChildProcess } from "node:child_process";
import type { Command } from "./command";

/** Limit of the wait for the owner to begin, in milliseconds. */
const PATIENCE = 5_000;

/** The owners that this window started, by the board's address. */
export class Sharing {
  readonly #owners = new Map<string, { process: ChildProcess; begun: Promise<void> }>();

  /**
   * Makes sure that the board has an owner. Where another window's has it already, ours waits to take over. A WebREPL has
   * none: the board itself lets one client in at a time.
   */
  async ensure(command: Command, address: string): Promise<void> {
    if (/^wss?:/.test(address)) return;
    const owner = this.#owners.get(address) ?? this.#start(command, address);
    await owner.begun;
  }

  /** Ends the owner, for a command that needs the port itself; the next request starts another one. */
  async release(address: string): Promise<void> {
    const process = this.#owners.get(address)?.process;
    if (!process || process.exitCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGINT");
    await ended;
  }

  #start(command: Command, address: string): { process: ChildProcess; begun: Promise<void> } {
    const process = command.start(["serve", "--listen", "127.0.0.1:0", "--board", address]);
    const owner = { process, begun: begun(process) };
    this.#owners.set(address, owner);
    for (const end of ["exit", "error"]) process.once(end, () => this.#owners.delete(address));
    return owner;
  }

  dispose(): void {
    for (const { process } of this.#owners.values()) process.kill("SIGINT");
    this.#owners.clear();
  }
}

/** Waits for its first words. Without them the requests go to the board themselves, and say what is wrong. */
function begun(owner: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    owner.stdout?.once("data", done);
    owner.once("error", done);
    owner.once("exit", done);
  });
}
