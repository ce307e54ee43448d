/** Texts of the writing aids; messages about a program come from Ruff and basedpyright, and are in English. */

import { spoken } from "./index.ts";
import english from "./languages/en/writing.json";

export const texts = spoken("writing", english);
