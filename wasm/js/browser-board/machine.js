/** Folders of the computer that the interpreter emulates; they are not part of the board. */
export const MACHINE_FOLDERS = new Set(["/dev", "/proc", "/tmp", "/home"]);
