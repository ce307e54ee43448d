/** Says what the help at writing cannot do: always to who waits for it, and otherwise once. */

import { showError } from "../../ui/toast.ts";
import { messageOf } from "../../ui/sentence.ts";
import { texts } from "../../texts/writing.ts";
import type { Report } from "./help.ts";
import { ABSENT, OFFLINE } from "./load.ts";

export function makeReport(): Report {
  const said = new Set([ABSENT]);
  return (error, isAsked) => {
    const text = messageOf(error);
    if (!isAsked && said.has(text)) return;
    said.add(text);
    showError(text === ABSENT ? texts.absent : text === OFFLINE ? texts.offline : error);
  };
}
