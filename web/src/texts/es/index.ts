/** Spanish. The person is “tú”, a board is a “placa”, as the micro:bit's editor has both. */

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
