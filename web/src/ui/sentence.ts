import { texts } from "../texts/common.ts";

/**
 * Writes an error as a sentence, with a capital and a full stop. The package's errors begin in lower case, for use in
 * longer sentences.
 */
export function sentence(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^(?=(?:ws|http)s?:\/\/)/, `${texts.theAddress} `);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…:]$/.test(text) ? "" : "."}`;
}
