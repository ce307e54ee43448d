/** Texts of the examples, which are loaded when the first one is needed. */

import logger from "../../../../native/examples/sd_logger.py?raw";

const FILES = import.meta.glob<string>("./*.py", { query: "?raw", import: "default", eager: true });

/** Programs by the names of their files. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(FILES).map(([path, program]) => [path.slice("./".length), program])),
  "sd_logger.py": logger,
};
