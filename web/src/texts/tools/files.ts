/** Texts of the files panel. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/files.json";

export const texts = spoken("files", english);
