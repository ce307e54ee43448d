/** Texts of the editor, such as those about breakpoints. */

import { spoken } from "./index.ts";
import english from "./languages/en/editor.json";

export const texts = spoken("editor", english);
