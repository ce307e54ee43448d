/** Texts of the dialog about a board. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/device.json";

export const texts = spoken("device", english);
