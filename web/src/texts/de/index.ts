/**
 * German. Actions are infinitives, and nobody is addressed; MicroPython's own words (Board, Soft-Reset, Pin) stay as German-speaking users
 * of it say them.
 */

import type { Texts } from "../index.ts";
import { agent } from "./agent.ts";
import { board } from "./board.ts";
import { common } from "./common.ts";
import { experiments } from "./experiments.ts";
import { files } from "./files.ts";
import { page } from "./page.ts";
import { program } from "./program.ts";
import { zylisp } from "./zylisp.ts";

export const texts: Texts = { agent, board, common, experiments, files, page, program, zylisp };
