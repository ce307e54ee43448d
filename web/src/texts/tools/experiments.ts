/** Texts of the experiments. */

import { spoken } from "../index.ts";
import english from "../languages/en/tools/experiments.json";

export const texts = spoken("experiments", english);
