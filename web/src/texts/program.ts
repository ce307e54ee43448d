/** Texts about programs and documents, in the editor and around it. */

import { spoken } from "./index.ts";
import english from "./languages/en/program.json";

export const texts = spoken("program", english);
