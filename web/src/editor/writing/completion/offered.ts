/** Narrows what a language server offers to the names that the connected board has: its stubs describe boards of that kind in general. */

import { resolve } from "./documentation.ts";
import { type BoardNames, type Member, membersOf } from "../../../boards/connection/names.ts";

/** Names that may follow at a place; others are not there. */
export interface Offered {
  has(label: string): boolean;
  /** Names that the board has, which the server may not know. */
  readonly own: ReadonlyMap<string, Member | "module">;
}

/** Place in a program where a name may follow: after a dot, after `from … import`, or after `import`. */
interface Place {
  receiver?: string;
  from?: string;
  isImport?: boolean;
}

/** Kinds of places in a program, by the text before the word that is completed. */
export function placeIn(before: string): Place {
  const [, from] = /^\s*from\s+([\w.]+)\s+import\s+[\w\s,(]*$/.exec(before) ?? [];
  if (from !== undefined) return { from };
  if (/^\s*(import|from)\s+([\w.]+(\s+as\s+\w+)?\s*,\s*)*\w*$/.test(before)) return { isImport: true };
  const [, receiver] = /([\p{L}_][\p{L}\p{N}_.]*)\.[\p{L}\p{N}_]*$/u.exec(before) ?? [];
  return receiver === undefined ? {} : { receiver };
}

/** Members of a module; `undefined` if the board did not list them. */
export function ofModule(names: BoardNames, module: string): Offered | undefined {
  const members = membersOf(names, module);
  return members && exactly(new Map(Object.entries(members)));
}

/** Members of what a name stands for in a program, as far as its text says so: a module, a class, or an object made by a call of one. */
export function ofName(names: BoardNames, receiver: string, program: string): Offered | undefined {
  const [module = "", name, ...rest] = resolve(receiver.split("."), program);
  if (name === undefined) return isImported(module, program) ? ofModule(names, module) : undefined;
  return rest.length === 0 && membersOf(names, module)?.[name] === "class" ? ofClass(names, name) : undefined;
}

/** Members of a class, by its name or by a type such as `list[int]`. */
export function ofClass(names: BoardNames, type: string): Offered | undefined {
  const [name = ""] = /^\w+/.exec(type) ?? [];
  const members = Object.hasOwn(names.classes, name) ? names.classes[name] : undefined;
  const has = members && new Set(members);
  // Without additions: a board lists attributes of the class itself, such as its constants, and no kinds.
  return has && { has: (label) => has.has(label), own: new Map() };
}

/** Modules to import: the firmware's, and files of the board; `undefined` if it did not list them. */
export function modules(names: BoardNames, paths: readonly string[]): Offered | undefined {
  const own = new Map(names.list.filter((name) => !name.startsWith("_")).map((name) => [name, "module"] as const));
  const isThere = (label: string) => own.has(label) || names.list.includes(label) || own.has(label.replace(/^u/, ""));
  return own.size === 0 ? undefined : { own, has: (label) => isThere(label) || isFile(label, paths) };
}

/**
 * Names that may follow while the connected board has listed none, as it runs something: of modules, only those of its files. The stubs
 * describe a board that may be another. `undefined` where no module of the firmware stands.
 */
export function unlisted({ receiver, from, isImport }: Place, program: string, paths: readonly string[]): Offered | undefined {
  if (isImport) return { own: new Map(), has: (label) => isFile(label, paths) };
  const module = from?.split(".")[0] ?? (receiver !== undefined ? resolve(receiver.split("."), program)[0] : undefined);
  if (module === undefined || isFile(module, paths) || (from === undefined && !isImported(module, program))) return undefined;
  return { own: new Map(), has: () => false };
}

/** Names that can stand anywhere: of `builtins`, as the stubs describe it, those that the board has. */
export function anywhere(names: BoardNames, builtins: ReadonlySet<string>, program: string): Offered | undefined {
  const own = membersOf(names, "builtins");
  const isOfProgram = (label: string) => (program.match(new RegExp(`(?<![\\w.])${label}(?!\\w)`, "g")) ?? []).length > 0;
  return own && { own: new Map(), has: (label) => !builtins.has(label) || Object.hasOwn(own, label) || isOfProgram(label) };
}

/** Returns true if a module may be a file, or a folder, of the board. */
function isFile(module: string, paths: readonly string[]): boolean {
  return paths.some((path) => path.split("/").some((part) => part === module || part === `${module}.py`));
}

function exactly(own: ReadonlyMap<string, Member>): Offered {
  return { own, has: (label) => own.has(label) };
}

/** A name that nothing imports may be one of the program's own, such as `time = 3`. */
function isImported(module: string, program: string): boolean {
  return new RegExp(`^[ \\t]*(import|from)[ \\t][^#\\n]*(?<!\\w)u?${module}(?!\\w)`, "m").test(program);
}
