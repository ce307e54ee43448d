/**
 * Texts used by many parts of the page. `theAddress` precedes an address, in a sentence that would otherwise begin with
 * it; `signOfSilence` and `signOfNoRoom` are parts of messages for which the guide has a remedy.
 */

import { spoken } from "./index.ts";
import english from "./languages/en/common.json";

export const texts = spoken("common", english);
