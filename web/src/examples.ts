/** Programs to start from. Each runs on the board in the page, and on any other. */

import hello from "./examples/hello.py?raw";

/** What the page begins with. */
export const FIRST: string = hello;

/** What the examples are called, and their files. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["Hello", "hello.py"],
  ["Count until stopped", "count.py"],
  ["Draw a sine", "sine.py"],
  ["A mistake to find", "mistake.py"],
  ["What is on this board", "board.py"],
  ["Guess a number", "guess.py"],
  ["Two waves to plot", "waves.py"],
  ["A table in a file", "table.py"],
  ["Taking turns", "tasks.py"],
  ["How fast it is", "speed.py"],
  ["A logger for Experiments", "sd_logger.py"],
]);

export const EXAMPLE_NAMES: readonly string[] = [...EXAMPLES.keys()];

/** The example with this name. */
export async function example(name: string): Promise<string | undefined> {
  const { PROGRAMS } = await import("./examples/programs.ts");
  return PROGRAMS[EXAMPLES.get(name) ?? ""];
}

/** Whether a text is an example that nobody has changed. */
export async function isExample(text: string): Promise<boolean> {
  const { PROGRAMS } = await import("./examples/programs.ts");
  return Object.values(PROGRAMS).includes(text);
}
