/** Spanish. The person is “tú”, a board is a “placa”, as the micro:bit's editor has both. */

import type { Texts } from "../index.ts";
import { board } from "./board.ts";
import { common } from "./common.ts";
import { page } from "./page.ts";
import { program } from "./program.ts";

export const texts: Texts = { page, common, board, program };
