/** Where the page begins: nothing is shown before its language is there. */

import { isThere } from "./texts/index.ts";

void isThere.then(() => import("./app.ts"));
