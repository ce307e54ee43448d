/** Queries a board's facts, like `flylead info`. */

import type { Board } from "flylead";
import { isFlyleadError } from "flylead/errors";
import { sizeOf } from "../../places/place.ts";
import { texts } from "../../texts/tools/device.ts";

export interface Facts {
  /** Names and values, in display order. */
  said: (readonly [string, string])[];
  /** Functions of `machine` that the board has. */
  can: ReadonlySet<string>;
}

interface Question {
  name: string;
  /** Python code that prints the answer, and defines no names. */
  ask: string;
  /** Makes the answer legible; `undefined` if it is invalid. */
  read?: (answer: string) => string | undefined;
}

/** Queries all facts, each separately: a board that cannot answer one may still answer the next. */
export async function askFacts(board: Board): Promise<Facts> {
  const said: (readonly [string, string])[] = [];
  for (const { name, ask, read } of QUESTIONS) {
    const answer = await answerOf(board, ask);
    const text = answer === undefined ? undefined : read ? read(answer) : answer || undefined;
    if (text !== undefined) said.push([name, text]);
  }
  const can = new Set((await answerOf(board, CAN))?.split(" ") ?? []);
  return { said, can };
}

/** Returns the time of the board's clock. */
export async function askClock(board: Board): Promise<string | undefined> {
  const answer = await answerOf(board, CLOCK);
  return answer && clockIn(answer);
}

async function answerOf(board: Board, ask: string): Promise<string | undefined> {
  try {
    return (await board.exec(ask, { timeout: ANSWER_MS })).stdout.trim();
  } catch (error) {
    if (isFlyleadError(error) && error.name === "ProgramError") return undefined;
    throw error;
  }
}

function megahertz(answer: string): string | undefined {
  return answer === "" ? undefined : `${Math.round(Number(answer) / 1e6)} MHz`;
}

function memory(answer: string): string {
  const [free, used] = answer.split(" ").map(Number) as [number, number];
  return texts.free({ free: sizeOf(free), all: sizeOf(free + used) });
}

/** Formats the space from the fragment size, the number of blocks and of free blocks. */
function space(answer: string): string | undefined {
  const [size, all, free] = answer.split(" ").map(Number) as [number, number, number];
  return all > 0 ? texts.free({ free: sizeOf(size * free), all: sizeOf(size * all) }) : undefined;
}

function atBoot(answer: string): string {
  const [first, second] = answer.split(" ");
  return !first ? texts.nothingAtBoot : second ? texts.andThen({ first, second }) : first;
}

function clockIn(answer: string): string {
  const [year, month, day, hour, minute, second] = answer.split(" ").map((part) => part.padStart(2, "0"));
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`;
}

const CLOCK = "print(*__import__('time').localtime()[:6])";
// The board in the page only simulates its machine: nothing but the interpreter can be reset, and its clock is the
// browser's.
const CAN = "(lambda m, s: print(*[name for name in ('reset', 'bootloader', 'RTC') if hasattr(m, name) and s.platform != 'webassembly']))(__import__('machine'), __import__('sys'))";
const QUESTIONS: readonly Question[] = [
  { name: texts.firmware, ask: "print(__import__('sys').version)", read: (answer) => answer.split("; ").pop() },
  { name: texts.chip, ask: "print(getattr(__import__('sys').implementation, '_machine', None) or __import__('os').uname()[4])" },
  { name: texts.platform, ask: "print(__import__('sys').platform)" },
  { name: texts.number, ask: "print(''.join('%02x' % byte for byte in __import__('machine').unique_id()))" },
  // One number, or several of which the first is the processor's.
  { name: texts.speed, ask: "(lambda f: print(f[0] if isinstance(f, tuple) else f))(__import__('machine').freq())", read: megahertz },
  { name: texts.memory, ask: "(lambda gc: (gc.collect(), print(gc.mem_free(), gc.mem_alloc())))(__import__('gc'))", read: memory },
  { name: texts.files, ask: "print(*__import__('os').statvfs('/')[1:4])", read: space },
  { name: texts.flash, ask: "print(__import__('esp').flash_size())", read: (answer) => sizeOf(Number(answer)) },
  // Names used by the board (docs/library/machine.Pin.rst, Pin.board), and by the micro:bit.
  { name: texts.pins, ask: "print(*[name for name in dir(__import__('machine').Pin.board) if name[0] != '_'])" },
  { name: texts.pins, ask: "print(*[name for name in dir(__import__('microbit')) if name[:3] == 'pin'])" },
  {
    name: texts.atBoot,
    ask: "(lambda names: print(*[name for name in ('boot.py', 'main.py') if name in names]))(__import__('os').listdir())",
    read: (answer) => atBoot(answer),
  },
  { name: texts.clock, ask: CLOCK, read: clockIn },
];
/** Time limit of one answer, in milliseconds. */
const ANSWER_MS = 10_000;
