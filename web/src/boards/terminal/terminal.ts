/** The board's terminal: xterm.js, written to with back-pressure, and left with Escape, then Tab. */

import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal as Xterm } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { colorOf } from "../../ui/dom.ts";
import { watchSettings } from "../../storage/settings.ts";
import { texts } from "../../texts/board.ts";
import { watchTheme } from "../../ui/style/theme.ts";
import "./terminal.css";

export interface Terminal {
  /** Shows bytes of the board; resolves once the screen has space for more. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Shows a message of the page, rather than the board, on a line of its own. */
  note(text: string): Promise<void>;
  /** Clears the screen, except for the current line. */
  clear(): void;
  focus(): void;
}

/** Line of a program, as tracebacks name it. */
export interface Link {
  file: string;
  line: number;
}

export interface TerminalOptions {
  /** Receives input. */
  onInput: (bytes: Uint8Array) => void;
  /** Called when a line of a traceback was selected. */
  onLink: (link: Link) => void;
}

export function openTerminal(parent: HTMLElement, { onInput, onLink }: TerminalOptions): Terminal {
  Object.assign(Xterm.strings, { promptLabel: texts.terminalInput, tooMuchOutput: texts.tooMuchToRead });
  const xterm = new Xterm(OPTIONS);
  xterm.open(parent);
  linkTracebacks(xterm, onLink);
  const mayLeave = leaveByEscapeThenTab();
  xterm.attachCustomKeyEventHandler((event) => mayLeave(event) && !isForClipboard(event, xterm));
  parent.addEventListener("copy", () => queueMicrotask(() => xterm.clearSelection()));
  xterm.onData((text) => onInput(encoder.encode(text)));
  xterm.onBinary((text) => onInput(Uint8Array.from(text, (char) => char.charCodeAt(0))));
  const fit = fitAlways(xterm, parent);
  watchTheme(() => (xterm.options.theme = themeOfPage()));
  watchSettings(({ fontSize }) => ((xterm.options.fontSize = fontSize), fit()));
  return { write: (data) => write(xterm, data), note: (text) => note(xterm, text), clear: () => xterm.clear(), focus: () => xterm.focus() };
}

let backlog = 0;

/** Waits only if the screen is far behind: a flood must not fill memory, a line must not wait. */
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

/** Makes `File "main.py", line 3` a link. */
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

/** Leaves Tab to the board, which completes names; after Escape it moves the focus as everywhere else. */
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

/**
 * Returns true for clipboard keys, which are left to the browser: Ctrl+V pastes, and Ctrl+C copies the selection;
 * without a selection, Ctrl+C goes to the board.
 */
function isForClipboard({ key, ctrlKey, altKey, metaKey }: KeyboardEvent, xterm: Xterm): boolean {
  if (!ctrlKey || altKey || metaKey) return false;
  return key.toLowerCase() === "v" || (key.toLowerCase() === "c" && xterm.hasSelection());
}

function fitAlways(xterm: Xterm, parent: HTMLElement): () => void {
  const addon = new FitAddon();
  xterm.loadAddon(addon);
  const fit = () => {
    if (parent.offsetWidth > 0) addon.fit(); // Hidden has no size, and one column would reflow everything.
  };
  new ResizeObserver(fit).observe(parent);
  return fit;
}

function themeOfPage(): ITheme {
  return {
    background: colorOf("--surface"),
    foreground: colorOf("--ink"),
    cursor: colorOf("--accent"),
    cursorAccent: colorOf("--surface"),
    selectionBackground: colorOf("--selection"),
    red: colorOf("--error"),
    brightBlack: colorOf("--faint"),
    scrollbarSliderBackground: colorOf("--rule"),
  };
}

const encoder = new TextEncoder();
/** Line of a MicroPython traceback. */
const FRAME = /File "([^"]+)", line (\d+)/g;
/** Bytes that the screen may be behind before the board has to wait. */
const BACKLOG_LIMIT = 256 * 1024;
/** Time after Escape in which a Tab still leaves. */
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
