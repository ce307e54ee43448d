/** Texts about packages. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/packages.json";

export const texts = spoken("packages", english);
