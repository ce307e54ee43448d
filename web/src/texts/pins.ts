/** Texts of the drawn board beside the terminal. */

import { spoken } from "./index.ts";
import english from "./languages/en/pins.json";

export const texts = spoken("pins", english);
