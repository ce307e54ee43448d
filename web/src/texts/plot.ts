/** Texts of charts and the plotter. */

import { spoken } from "./index.ts";
import english from "./languages/en/plot.json";

export const texts = spoken("plot", english);
