/** Folders of the machine that pretends to be a computer for the interpreter: no part of the board. */
export const MACHINE_FOLDERS = new Set(["/dev", "/proc", "/tmp", "/home"]);
