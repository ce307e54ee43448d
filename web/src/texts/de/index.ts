/**
 * German. Actions are infinitives, and nobody is addressed; MicroPython's own words (Board, Soft-Reset, Pin) stay as German-speaking users
 * of it say them.
 */

import type { Texts } from "../index.ts";
import { board } from "./board.ts";
import { common } from "./common.ts";
import { page } from "./page.ts";
import { program } from "./program.ts";

export const texts: Texts = { page, common, board, program };
