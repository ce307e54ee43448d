/** Shows an error of the program below it: the message, and a button for each line of its traceback. */

import type { Frame, Outcome, Traceback } from "flylead";
import { element, make } from "../ui/dom.ts";
import { texts as said } from "../texts/board.ts";
import { texts as common } from "../texts/common.ts";
import { texts } from "../texts/program.ts";
import "./problem.css";

/** Name that MicroPython gives to a sent program, in place of a file's. */
export const SENT = "<stdin>";

/** Returns the exception that ended the program, if any. */
export function tracebackOf(outcome: Outcome): Traceback | undefined {
  return outcome.kind === "raised" || outcome.kind === "timedOut" ? outcome.traceback : undefined;
}

/** Returns the line of the program (from 1) at which the error occurred: that of its innermost frame. */
export function lineOf(traceback: Traceback): number | undefined {
  return traceback.frames.findLast((frame) => frame.file === SENT)?.line;
}

/** Returns the last line of the traceback, such as `ZeroDivisionError: divide by zero`. */
export function summaryOf({ exception, message }: Traceback): string {
  return message ? `${exception}: ${message}` : exception;
}

/** Returns the remedy for a feature that the board in the page lacks, if that caused the error. */
export function adviceInPage({ exception, message }: Traceback): string | undefined {
  if (exception === "SyntaxError" && /invalid micropython decorator/.test(message)) return said.noNative;
  const name = exception === "ImportError" ? /^no module named '(\w+)/i.exec(message)?.[1] : undefined;
  if (name && OF_A_MACHINE.has(name)) return said.otherMachine({ name });
  return name && HARDWARE.has(name) ? said.noHardware({ name }) : undefined;
}

/** MicroPython's modules for hardware (docs/library, 1.27: those specific to MicroPython, and to ports). */
const HARDWARE: ReadonlySet<string> = new Set("lcd160cr lvgl microbit pimoroni_bus pyb stm wipy zephyr".split(" "));
/** Modules of machines that the board in the page can imitate but currently does not. */
const OF_A_MACHINE: ReadonlySet<string> = new Set("esp esp32 espnow rp2".split(" "));

export function showProblem(traceback: Traceback, goTo: (frame: Frame) => void, advice?: string): void {
  const summary = make("p", "", "summary");
  summary.append(make("strong", summaryOf(traceback)));
  if (advice) summary.append(make("span", advice, "advice"));
  const frames = make("ol", "", "frames");
  frames.append(...traceback.frames.map((frame) => frameItem(frame, goTo)));
  const problem = element("problem");
  problem.replaceChildren(summary, frames, dismissButton());
  problem.hidden = false;
}

export function hideProblem(): void {
  const problem = element("problem");
  problem.hidden = true;
  problem.replaceChildren();
}

function frameItem(frame: Frame, goTo: (frame: Frame) => void): HTMLLIElement {
  const item = make("li");
  const name = frame.function && frame.function !== "<module>" ? frame.function : undefined;
  const place = name === undefined ? texts.line({ line: frame.line }) : texts.lineIn({ line: frame.line, name });
  const button = make("button", inFile(frame.file, place), "link");
  button.addEventListener("click", () => goTo(frame));
  item.append(button);
  return item;
}

/** Names the file before a place in it; the program that was sent has none. */
export function inFile(file: string, place: string): string {
  return file === "" || file === SENT ? place : texts.inFile({ file, place });
}

function dismissButton(): HTMLButtonElement {
  const button = make("button", "×", "quiet dismiss");
  button.ariaLabel = common.dismiss;
  button.addEventListener("click", hideProblem);
  return button;
}
