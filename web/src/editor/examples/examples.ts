/** Programs to start from. Each runs on the board in the page, and on any other. */

import hello from "./hello.py?raw";
import { texts } from "../../texts/program.ts";

/** Initial program of the page. */
export const FIRST: string = hello;

/** Files of the examples. */
export const EXAMPLES = Object.keys(texts.examples) as (keyof typeof texts.examples)[];

/** Loads the example in this file. */
export async function example(file: string): Promise<string | undefined> {
  const { PROGRAMS } = await import("./programs.ts");
  return PROGRAMS[file];
}

/** Returns true if a text is an unchanged example. */
export async function isExample(text: string): Promise<boolean> {
  const { PROGRAMS } = await import("./programs.ts");
  return Object.values(PROGRAMS).includes(text);
}
