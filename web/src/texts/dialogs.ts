/**
 * Texts of the settings, the list of keys, the link to a program and the guide's dialog; the guide
 * itself is English.
 */

import { spoken } from "./index.ts";
import english from "./languages/en/dialogs.json";

export const texts = spoken("dialogs", english);
