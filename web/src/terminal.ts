/** The board's terminal: xterm.js, written to with back-pressure, left by Escape then Tab. */

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal as Xterm } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { watchMedia } from "./dom.ts";

export interface Terminal {
  /** Shows bytes of the board; resolves once the screen has room for more. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Says something that the page says, not the board, on a line of its own. */
  note(text: string): Promise<void>;
  /** Empties the screen, the present line excepted. */
  clear(): void;
  focus(): void;
}

/** A line of a program, as tracebacks name it. */
export interface Link {
  file: string;
  line: number;
}

export interface TerminalOptions {
  /** What is typed. */
  onInput: (bytes: Uint8Array) => void;
  /** A line of a traceback was chosen. */
  onLink: (link: Link) => void;
}

export function openTerminal(parent: HTMLElement, { onInput, onLink }: TerminalOptions): Terminal {
  const xterm = new Xterm(OPTIONS);
  xterm.open(parent);
  linkTracebacks(xterm, onLink);
  xterm.attachCustomKeyEventHandler(leaveByEscapeThenTab());
  xterm.onData((text) => onInput(encoder.encode(text)));
  xterm.onBinary((text) => onInput(Uint8Array.from(text, (char) => char.charCodeAt(0))));
  fitAlways(xterm, parent);
  watchMedia("(prefers-color-scheme: dark)", () => (xterm.options.theme = themeOfPage()));
  return { write: (data) => write(xterm, data), note: (text) => note(xterm, text), clear: () => xterm.clear(), focus: () => xterm.focus() };
}

let backlog = 0;

/** Waits only when the screen is far behind: a flood must not fill memory, a line must not wait. */
function write(xterm: Xterm, data: Uint8Array | string): Promise<void> {
  backlog += data.length;
  return new Promise((resolve) => {
    const mustWait = backlog > BACKLOG_LIMIT;
    xterm.write(data, () => {
      backlog -= data.length;
      if (mustWait) resolve();
    });
    if (!mustWait) resolve();
  });
}

async function note(xterm: Xterm, text: string): Promise<void> {
  await new Promise<void>((resolve) => xterm.write("", resolve)); // The cursor's place is known once all is drawn.
  const newLine = xterm.buffer.active.cursorX > 0 ? "\r\n" : "";
  await write(xterm, `${newLine}\x1b[90m${text}\x1b[0m\r\n`);
}

/** `File "main.py", line 3` leads there. */
function linkTracebacks(xterm: Xterm, onLink: (link: Link) => void): void {
  xterm.registerLinkProvider({
    provideLinks(row, callback) {
      const text = xterm.buffer.active.getLine(row - 1)?.translateToString(true) ?? "";
      const links = [...text.matchAll(FRAME)].map((found) => ({
        text: found[0],
        range: { start: { x: found.index + 1, y: row }, end: { x: found.index + found[0].length, y: row } },
        activate: () => onLink({ file: found[1]!, line: Number(found[2]) }),
      }));
      callback(links.length > 0 ? links : undefined);
    },
  });
}

/** Tab belongs to the board, which completes names; after Escape it moves the focus as everywhere else. */
function leaveByEscapeThenTab(): (event: KeyboardEvent) => boolean {
  let escapedAt = -Infinity;
  return (event) => {
    if (event.key === "Escape") {
      if (event.type === "keydown") escapedAt = event.timeStamp;
      return false; // A lone Escape would swallow the board's next key.
    }
    if (event.key === "Tab") return event.timeStamp - escapedAt > ESCAPE_WINDOW_MS;
    if (event.key.length === 1) escapedAt = -Infinity; // A typed character takes the escape back.
    return true;
  };
}

function fitAlways(xterm: Xterm, parent: HTMLElement): void {
  const fit = new FitAddon();
  xterm.loadAddon(fit);
  new ResizeObserver(() => {
    if (parent.offsetWidth > 0) fit.fit(); // Hidden has no size, and one column would reflow everything.
  }).observe(parent);
}

function themeOfPage(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: colour("--surface"),
    foreground: colour("--ink"),
    cursor: colour("--accent"),
    cursorAccent: colour("--surface"),
    selectionBackground: colour("--selection"),
    red: colour("--error"),
    brightBlack: colour("--faint"),
    scrollbarSliderBackground: colour("--rule"),
  };
}

const encoder = new TextEncoder();
/** A line of a MicroPython traceback. */
const FRAME = /File "([^"]+)", line (\d+)/g;
/** Bytes the screen may be behind before the board is made to wait. */
const BACKLOG_LIMIT = 256 * 1024;
/** How long after Escape a Tab still leaves. */
const ESCAPE_WINDOW_MS = 2000;
const OPTIONS = {
  convertEol: true,
  cursorBlink: false,
  fontFamily: "ui-monospace, 'Cascadia Code', 'Source Code Pro', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSize: 14,
  lineHeight: 1.3,
  scrollback: 10_000,
  screenReaderMode: true,
  minimumContrastRatio: 4.5,
} as const;
