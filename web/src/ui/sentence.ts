import { texts } from "../texts/common.ts";

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  if (isOverflow(error)) return texts.tooDeep;
  return error instanceof Error ? error.message : String(error);
}

/** Returns true for the end of the stack, of which Chromium and Safari say this; Firefox has a kind of error for it. */
function isOverflow(error: unknown): boolean {
  return error instanceof Error && ((error.name === "RangeError" && /call stack/.test(error.message)) || error.name === "InternalError");
}

/**
 * Writes an error as a sentence, with a capital and a full stop. The package's errors begin in lower case, for use in
 * longer sentences.
 */
export function sentence(error: unknown): string {
  const text = messageOf(error).replace(/^(?=(?:ws|http)s?:\/\/)/, `${texts.theAddress} `);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…:]$/.test(text) ? "" : "."}`;
}
