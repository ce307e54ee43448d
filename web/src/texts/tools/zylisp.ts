/** Texts of the Zylisp panel. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/zylisp.json";

export const texts = spoken("zylisp", english);
