/** What is said of programs and documents, in the editor and around it. */

import { spoken } from "./index.ts";

export const english = {
  program: "Program",
  numbered: (number: number) => `Program ${number}`,
  kept: "Kept in this browser",
  notKept: (names: string) => `Not kept: ${names}`,
  noRoom: (names: string) => `This browser has no room for ${names}: save it elsewhere.`,
  linkIsOpen: "The program of the link is open; it runs when you run it.",
  // The editor.
  editorOfProgram: "Program, Python. Escape then Tab leaves the editor.",
  editorOf: (name: string) => `${name}. Escape then Tab leaves the editor.`,
  // What went wrong in it.
  frame: (file: string, line: number, name: string | undefined) => `${file && `${file}, `}line ${line}${name === undefined ? "" : ` in ${name}`}`,
  sourceError: (file: string, line: number, message: string) => `${file && `${file}, `}line ${line}: ${message}`,
  // The tabs.
  save: "Save",
  saveAs: "Save…",
  on: (path: string, place: string) => `${path} on ${place}`,
  unsaved: "(unsaved)",
  close: (name: string) => `Close ${name}`,
  closeAsked: (name: string) => `Close ${name}?`,
  closeExplained: "What you have changed in it is not saved, and will be lost.",
  closeAction: "Close without saving",
  // Another one than was opened.
  changedOnBoard: (path: string) => `${path} on the board has changed since you opened it.`,
  changedOnComputer: (path: string) => `${path} on this computer has changed since you opened it.`,
  isOnBoard: (path: string) => `${path} is on the board already.`,
  isOnComputer: (path: string) => `${path} is on this computer already.`,
  notOverwritten: "Nothing was overwritten.",
  compare: "Compare",
  thereAndHere: (name: string) => `${name}: there, and here`,
  replaceWithMine: "Replace it with mine",
  takeBoards: "Take the board's",
  takeFiles: "Take the file's",
  wasOnAnother: (path: string) => `${path} was looked at on another board than the one that is connected now. Nothing was written.`,
  // Saving and opening.
  saveOnBoard: "Save on the board",
  path: "Path",
  saved: (name: string) => `${name} saved`,
  savedOnComputer: (name: string) => `${name} saved on this computer`,
  boardSees: (folder: string, at: string) => `The board sees ${folder} as ${at}`,
  saveBeforeRun: "Save before it runs?",
  oneUnsaved: (name: string) => `${name} is not saved: the board would import what it has.`,
  manyUnsaved: (names: string) => `${names} are not saved: the board would import what it has.`,
  runWithout: "Run without",
  saveAndRun: "Save and run",
  anotherBoard: "This is another board",
  anotherBoardExplained: (path: string, theirs: string, ours: string) => `${path} is from ${theirs}, and that board is not connected: this is ${ours}. Nothing was written.`,
  saveOnThis: "Save it on this one",
  folderNotOpen: (folder: string) => `The folder ${folder} is not open: open it beside the board's files, and save again.`,
  noBoard: "There is no board to save on: connect one, and save again. Until then this browser keeps your work.",
  tooLarge: (name: string, size: string, most: string) => `${name} has ${size} bytes; the editor takes ${most} at most.`,
  noText: (name: string) => `${name} is no text.`,
  noTextDownload: (path: string) => `${path} is no text. Download it to look at it.`,
  // What the examples are called, by their files.
  examples: {
    "hello.py": "Hello",
    "count.py": "Count until stopped",
    "sine.py": "Draw a sine",
    "mistake.py": "A mistake to find",
    "board.py": "What is on this board",
    "guess.py": "Guess a number",
    "waves.py": "Two waves to plot",
    "table.py": "A table in a file",
    "tasks.py": "Taking turns",
    "speed.py": "How fast it is",
    "sd_logger.py": "A logger for Experiments",
  },
};

export const texts = spoken("program", english);
