/** Texts of the Zylisp panel. */

import { spoken } from "../index.ts";

export const english = {
  where: "Where it is evaluated",
  inPage: "In this page",
  onNetwork: "On the network",
  clear: "Clear",
  stop: "Stop",
  stopTitle: "Stop what is evaluated (Ctrl+.)",
  address: "Address",
  token: "Token",
  connect: "Connect",
  transcript: "What was evaluated",
  // The hint, around the input.
  hint: "A small Lisp. Enter evaluates what is whole, and otherwise begins a new line, as Shift+Enter always does; the arrows bring back what you typed before; Tab completes a name, and",
  hintValues: "are the last values,",
  hintError: "the last error. Try",
  hintOr: "or",
  code: "Code to evaluate",
  evaluate: "Evaluate",
  connected: "Connected",
  connectedTo: (evaluator: string) => `Connected to ${evaluator}`,
  connectFirst: "Connect to a server first.",
  wantsToken: "This server wants its token: type the one that it printed when it was started, and connect again.",
  definedInLine: (line: number) => `defined in line ${line}`,
  definedInFile: (line: number, file: string) => `defined in line ${line} of ${file}`,
  stopped: "stopped",
  more: "Show more of it",
  omitted: (calls: number) => `and ${calls} calls between them`,
  call: (name: string | undefined, file: string, line: number, column: number) => `${name === undefined ? "" : `in ${name}, `}${file && `${file}, `}line ${line}, column ${column}`,
};

export const texts = spoken("zylisp", english);
