/** Texts used by many parts of the page. */

import { spoken } from "./index.ts";

export const english = {
  cancel: "Cancel",
  close: "Close",
  dismiss: "Dismiss",
  newVersion: "A new version of this page is ready. What is not saved stays.",
  partsGone: "A part of this page could not be loaded: the page was updated since, or its server cannot be reached. What is not saved stays.",
  reload: "Reload to update",
  whatToDo: "What to do",
  /** A program whose nesting overflows the stack of the page. */
  tooDeep: "The program is nested too deeply for this page. Take its longest expression apart",
  /** Precedes an address, in a sentence that would otherwise begin with it. */
  theAddress: "The address",
  transfer: "Transfer",
  anotherTransfer: "Another transfer is under way: wait for it, or cancel it.",
  /** Parts of messages for which the guide has a remedy. */
  signOfSilence: "Nothing has answered",
  signOfNoRoom: "has no room",
};

export const texts = spoken("common", english);
