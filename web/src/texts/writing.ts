/** Texts of the writing aids; messages about a program come from Ruff and basedpyright, and are in English. */

import { spoken } from "./index.ts";

export const english = {
  absent: "This copy of the page comes without checks and completion: the Python package leaves them out to stay small. The command has them where it is installed by itself.",
  offline: "Checks and completion could not be loaded: this browser has not kept them yet, and the page's server cannot be reached. Everything else goes on; they are tried again when there is a network.",
  changedMeanwhile: "The program was changed while it was formatted, and stays as it is. Format it again.",
  notFormatted: (line: number, why: string) => `This is not formatted, for it is no Python yet: line ${line}, ${why}.`,
  tooLong: (thousands: number) => `Programs of more than ${thousands} thousand letters are neither checked nor formatted.`,
  checksSilent: "The checks did not answer, and begin again with what is written next.",
  checksNotStarted: "The checks could not be started; they are tried again with what is written next.",
  mend: "Mend it",
};

export const texts = spoken("writing", english);
