/** Texts of the debugger. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/debug.json";

export const texts = spoken("debug", english);
