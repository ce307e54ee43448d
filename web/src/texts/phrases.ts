/**
 * CodeMirror's own texts that are displayed or read out here, by their English form (codemirror.net, “International”).
 * English ones are in CodeMirror; they are listed in `languages/en` only to be translated.
 */

import { spoken } from "./index.ts";

export const phrases = spoken("phrases", {});
