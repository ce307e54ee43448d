/**
 * Names that a board has, as its own `dir()` lists them: members of modules and of their classes. A board is asked for the modules that
 * programs import, each once for its firmware.
 */

import type { Board } from "flylead";
import { forget, keep, recallJson, recallNames } from "../../storage/storage.ts";

export interface BoardNames {
  /** Modules of its firmware, as `help('modules')` lists them; none if it could not report them. */
  list: readonly string[];
  /** Members of the queried modules; `null` for a module that its firmware lacks. */
  modules: Readonly<Record<string, Readonly<Record<string, Member>> | null>>;
  /** Members of the classes of these modules. Classes with the same name in several modules count as one. */
  classes: Readonly<Record<string, readonly string[]>>;
}

export type Member = "class" | "function" | "value";

/** Returns the stored names of a firmware. */
export function recallNamesOf(firmware: string): BoardNames | undefined {
  return recallJson(KEPT + firmware, areNames);
}

/** Returns the modules for which a board still has to be queried. */
export function missing(wanted: ReadonlySet<string>, names: BoardNames | undefined): string[] {
  const asked = [BUILTINS, ...wanted].map((name) => (MODULES.has(name) ? name : name.replace(/^u/, "")));
  return [...new Set(asked)].filter((name) => MODULES.has(name) && !(names && Object.hasOwn(names.modules, name)));
}

/**
 * Queries the board for these modules, and stores the answer for its firmware if that is given. A board that cannot
 * answer adds no names.
 */
export async function askNames(board: Board, wanted: readonly string[], before: BoardNames | undefined, firmware: string | undefined): Promise<BoardNames> {
  const answer = await board.exec(`${before ? "" : LIST}${ASK.replace("WANTED", wanted.join(" "))}`).catch(() => undefined);
  const nothing = Object.fromEntries(wanted.map((name) => [name, null]));
  const names = answer ? namesIn(answer.stdout, before, nothing) : { ...(before ?? { list: [], classes: {} }), modules: { ...before?.modules, ...(before ? {} : nothing) } };
  if (answer && firmware !== undefined) {
    const kept = recallNames(KEPT).filter((name) => name !== KEPT + firmware);
    if (kept.length >= MOST) kept.forEach(forget);
    keep(KEPT + firmware, JSON.stringify(names));
  }
  return names;
}

/** Returns the members of a module under the name that a program imports: boards list `utime` as `time`. */
export function membersOf(names: BoardNames, module: string): Readonly<Record<string, Member>> | undefined {
  const name = [module, module.replace(/^u/, "")].find((name) => Object.hasOwn(names.modules, name));
  return name === undefined ? undefined : (names.modules[name] ?? undefined);
}

/**
 * Parses the output: columns of modules; `m` and a module with its members, each after a letter of its kind; `c`, a
 * class and its members.
 */
function namesIn(output: string, before: BoardNames | undefined, nothing: BoardNames["modules"]): BoardNames {
  const [listed, asked] = before ? ["", output] : [output.slice(0, output.indexOf(MARK)), output.slice(output.indexOf(MARK))];
  const list = before?.list ?? listed.split("Plus any modules")[0]!.split(/\s+/).filter((name) => NAME.test(name)).map((name) => name.split("/")[0]!);
  const modules: Record<string, BoardNames["modules"][string]> = { ...before?.modules, ...nothing };
  const classes: Record<string, readonly string[]> = { ...before?.classes };
  for (const line of asked.split(/\r?\n/)) {
    const [kind, name, ...members] = line.trim().split(" ");
    if (!name || !NAME.test(name)) continue;
    if (kind === "m") modules[name] = Object.fromEntries(members.map((member) => [member.slice(1), KINDS[member[0]!] ?? "value"]));
    if (kind === "c") classes[name] = [...new Set([...(Object.hasOwn(classes, name) ? classes[name]! : []), ...members])];
  }
  return { list, modules, classes };
}

function areNames(value: unknown): value is BoardNames {
  return typeof value === "object" && value !== null && ["list", "modules", "classes"].every((part) => part in value);
}

const KINDS: Readonly<Record<string, Member>> = { c: "class", f: "function", v: "value" };
const NAME = /^\w[\w./]*$/;
const BUILTINS = "builtins";
const KEPT = "names.";
/** Limit of firmwares whose names are stored. */
const MOST = 8;
/**
 * Modules to query: those known to MicroPython's documentation and its stubs, except for those with side effects when
 * imported, such as `radio` of the micro:bit and `webrepl_setup`. Files of the board are not imported, because their
 * effect is unknown.
 */
const MODULES: ReadonlySet<string> = new Set(
  "_thread aioespnow apa102 apa106 argparse array asyncio audio base64 binascii bluetooth btree builtins cmath collections copy cryptolib datetime deflate dht ds18x20 errno esp esp32 espnow ffi fnmatch framebuf functools gc gzip hashlib heapq hmac html inspect io itertools js jsffi json lcd160cr locale log logging lwip machine math microbit micropython mip music neopixel network ntptime onewire operator os pathlib platform power pyb random re requests rp2 samd select socket speech ssd1306 ssl stat stm string struct sys tarfile termios time tls uctypes unittest uu vfs websocket zlib".split(" "),
);
const MARK = "flylead names";
const LIST = `try:
 print(*[one[:-3] for one in __import__('os').listdir('/dev/board') if one[0] != '_'])
except Exception:
 pass
try:
 help('modules')
except Exception:
 pass
print('${MARK}')
`;
/**
 * Imports only modules of the firmware (the board in the page has files of its machine in `/dev/board`), and leaves
 * `sys.modules` unchanged. asyncio gets some of its names at their first use, from a table (MicroPython 1.29,
 * extmod/asyncio/__init__.py, `_attrs`), and decorators of micropython are known only to the compiler.
 */
const ASK = `def flylead_names(wanted):
 import sys
 path = getattr(sys, 'path', None)
 loaded = getattr(sys, 'modules', {})
 before = list(loaded)
 kept = path and path[:]
 try:
  if path: path[:] = [one for one in path if one in ('.frozen', '/dev/board')]
  for name in wanted.split():
   try:
    module = __import__(name)
   except Exception:
    continue
   decorators = []
   if name == 'micropython':
    for one in 'bytecode native viper asm_thumb asm_xtensa asm_rv32'.split():
     try:
      exec('@micropython.%s\\ndef f(): pass' % one, {})
      decorators.append('f' + one)
     except SyntaxError as error:
      if 'decorator' not in str(error) and str(error): decorators.append('f' + one)
   members = [(one, getattr(module, one, None)) for one in dir(module) if one[0] != '_']
   print('m', name, *(['vfc'[2 if type(value) is type else 1 if callable(value) else 0] + one for one, value in members] + ['v' + one for one in getattr(module, '_attrs', ())] + decorators))
   for one, value in members:
    if type(value) is type:
     inner = [inner for inner in dir(value) if inner[0] != '_']
     if inner: print('c', one, *inner)
   members = module = value = None
 finally:
  if path: path[:] = kept
  for name in list(loaded):
   if name not in before: del loaded[name]
try:
 flylead_names('WANTED')
finally:
 del flylead_names`;
