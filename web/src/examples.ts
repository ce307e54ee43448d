/** Programs to start from. Each runs on the board in the page, and on any other. */

import hello from "./examples/hello.py?raw";
import { texts } from "./texts/program.ts";

/** What the page begins with. */
export const FIRST: string = hello;

/** The files of the examples. */
export const EXAMPLES = Object.keys(texts.examples) as (keyof typeof texts.examples)[];

/** The example in this file. */
export async function example(file: string): Promise<string | undefined> {
  const { PROGRAMS } = await import("./examples/programs.ts");
  return PROGRAMS[file];
}

/** Whether a text is an example that nobody has changed. */
export async function isExample(text: string): Promise<boolean> {
  const { PROGRAMS } = await import("./examples/programs.ts");
  return Object.values(PROGRAMS).includes(text);
}
