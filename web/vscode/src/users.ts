/** Users of the boards of this computer: tools that take turns at them through `flylead serve`, and other programs. */

import type { Board } from "./boards";
import { type Command, isOurs } from "./command";

/** A tool that has a board, or waits for it. */
interface Use {
  readonly who: string;
  readonly seconds: number;
}

/** A port, as `flylead ports --users --json` lists it. */
interface Port {
  readonly port: string;
  readonly names: readonly string[];
  readonly usb: { readonly manufacturer?: string; readonly product?: string } | null;
  /** Use of a board that a hub shares. */
  readonly shared: { readonly address: string; readonly activity: string; readonly fault: string | null; readonly holder: Use | null; readonly waiting: readonly Use[] } | null;
  /** Programs that have the port open, and share it with nobody. */
  readonly programs: readonly string[];
}

export class Users {
  #ports: readonly Port[] = [];

  /** Returns the boards on USB, and notes who uses each board. */
  async look(command: Command): Promise<Board[]> {
    this.#ports = await command.json<readonly Port[]>(["ports", "--users"]);
    return this.#ports.filter((port) => port.usb).map(board);
  }

  /** Returns a board's use in a few words, as of the last look. */
  words(address: string): string | undefined {
    const port = this.#at(address);
    const user = this.#holder(port)?.who ?? port?.programs[0];
    if (user) return `${user} has it`;
    return port?.shared?.activity === "away" ? "not connected" : undefined;
  }

  /** Returns a board's use with its times and the tools that wait. */
  details(address: string): readonly string[] {
    const port = this.#at(address);
    const holder = this.#holder(port);
    const waiting = (port?.shared?.waiting ?? []).filter(({ who }) => !isOurs(who));
    return [
      ...(holder ? [`${holder.who} has had it for ${duration(holder.seconds)}`] : []),
      ...(port?.programs ?? []).map((program) => `${program} has its port open`),
      ...waiting.map(({ who, seconds }) => `${who} has been waiting for ${duration(seconds)}`),
      ...(port?.shared?.fault ? [port.shared.fault] : []),
    ];
  }

  /** Returns the tool of another window or terminal that has the board, with the time, as of the last look. */
  holder(address: string): string | undefined {
    const holder = this.#holder(this.#at(address));
    return holder && `${holder.who}, for ${duration(holder.seconds)}`;
  }

  #at(address: string): Port | undefined {
    return this.#ports.find(({ port, names, shared }) => port === address || shared?.address === address || names.includes(address));
  }

  /** Returns the tool that has the board, unless this window has started it. */
  #holder(port: Port | undefined): Use | undefined {
    const holder = port?.shared?.holder;
    return holder && !isOurs(holder.who) ? holder : undefined;
  }
}

function board({ port, names, usb }: Port): Board {
  const about = [usb?.manufacturer, usb?.product].filter(Boolean).join(" ");
  return { address: port, name: names[0] ?? port, about: names[0] ? `${port} ${about}` : about };
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}
