/**
 * German. Actions are infinitives, and the user is not addressed; MicroPython's own terms (Board, Soft-Reset, Pin) stay
 * as its German-speaking users say them.
 */

import type { Texts } from "../index.ts";
import { agent } from "./agent.ts";
import { board } from "./board.ts";
import { common } from "./common.ts";
import { debug } from "./debug.ts";
import { device } from "./device.ts";
import { dialogs } from "./dialogs.ts";
import { editor } from "./editor.ts";
import { experiments } from "./experiments.ts";
import { files } from "./files.ts";
import { flash } from "./flash.ts";
import { packages } from "./packages.ts";
import { page } from "./page.ts";
import { pins } from "./pins.ts";
import { plot } from "./plot.ts";
import { program } from "./program.ts";
import { writing } from "./writing.ts";
import { zylisp } from "./zylisp.ts";

export const texts: Texts = {
  agent,
  board,
  common,
  debug,
  device,
  dialogs,
  editor,
  experiments,
  files,
  flash,
  packages,
  page,
  pins,
  plot,
  program,
  writing,
  zylisp,
};
