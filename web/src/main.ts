/** Starts the page: nothing is shown before its language is loaded. */

import { isThere } from "./texts/index.ts";

void isThere.then(() => import("./app/app.ts"));
