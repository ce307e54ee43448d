/**
 * German. Actions are infinitives, and the user is not addressed; MicroPython's own terms (Board, Soft-Reset, Pin) stay
 * as its German-speaking users say them.
 */

import type { Texts } from "../../index.ts";
import { agent } from "./tools/agent.ts";
import { board } from "./board.ts";
import { common } from "./common.ts";
import { debug } from "./tools/debug.ts";
import { device } from "./tools/device.ts";
import { dialogs } from "./dialogs.ts";
import { editor } from "./editor.ts";
import { experiments } from "./tools/experiments.ts";
import { files } from "./tools/files.ts";
import { flash } from "./tools/flash.ts";
import { packages } from "./tools/packages.ts";
import { page } from "./page.ts";
import { pins } from "./pins.ts";
import { plot } from "./plot.ts";
import { program } from "./program.ts";
import { writing } from "./writing.ts";
import { zylisp } from "./tools/zylisp.ts";

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
