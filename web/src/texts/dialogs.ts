/**
 * Texts of the settings, the list of keys, the link to a program and the guide's dialog; the guide
 * itself is English.
 */

import { spoken } from "./index.ts";

export const english = {
  settings: "Settings",
  resetOnRun: "Reset the board softly before Run",
  resetOnRunHint: "A program begins with nothing of the one before: no variables, and modules as they are now. Files stay.",
  help: "Help at writing programs",
  helpHint: "Mistakes are underlined, and names completed as the board has them. What that needs, 4 MB, is loaded once and kept in this browser.",
  language: "Language",
  languageAuto: "As the browser",
  languageHint: "The page has to be loaded again to speak it. What is open stays; a connected board is let go.",
  reload: "Load the page again",
  colors: "Colors",
  colorsAuto: "As the system",
  light: "Light",
  dark: "Dark",
  fontSize: "Size of code, in pixels",
  indent: "Indentation",
  spaces: (count: number) => `${count} spaces`,
  // The keys.
  keys: "Keys",
  allKeys: "All keys",
  keyNames: { Ctrl: "Ctrl", Shift: "Shift", Enter: "Enter", Space: "Space" } as Record<string, string>,
  theProgram: "The program",
  theDebugger: "The debugger",
  thePage: "The page",
  keyRun: "Run it",
  keyRunLines: "Run the lines that are selected, or the one with the cursor, and keep all variables",
  keyStop: "Stop what runs on the board",
  keySave: "Save",
  keyFind: "Find in this document",
  keyFindAll: "Find in all files",
  keyDocumentation: "MicroPython's documentation for the name at the cursor, in a new tab",
  keyComplete: "Complete the name",
  keyFormat: "Format it",
  keyNextMistake: "The next mistake, and what it is",
  keyMistakes: "List the mistakes",
  keyComment: "Make the lines comments, and back",
  keyUndo: "Undo",
  keyBreakpoint: "Set or take a breakpoint",
  keyDebug: "Debug, or go on",
  keyOver: "Step over",
  keyInto: "Step into",
  keyOut: "Step out",
  keyPart: "Part by part: what the line becomes",
  keyEnd: "Stop",
  keyCross: "From the tool to the terminal and back",
  keyTools: "Program, Experiments, Agent, Zylisp",
  keyLeave: "Leave the editor or the terminal",
  keyList: "This list",
  // The link to a program.
  share: "Share by a link",
  link: "Link",
  linkHint: "The program is in the link itself, and no server ever has it. Whoever opens the link sees the program before it runs.",
  longLink: (characters: string) => `The link has ${characters} characters: some messengers cut it off.`,
  copyLink: "Copy the link",
  copied: "Copied.",
  notCopied: "The browser does not let the page copy: the link is selected, press Ctrl+C.",
  badLink: "The program in this link cannot be read: perhaps the link was cut off. Ask for it again.",
  // The guide.
  guide: "Guide",
  guidePages: "Pages of the guide",
};

export const texts = spoken("dialogs", english);
