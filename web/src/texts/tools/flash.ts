/** Texts of the dialog that flashes firmware. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/flash.json";

export const texts = spoken("flash", english);
