import { texts } from "./texts/common.ts";

/** What went wrong as a sentence: with a capital and a full stop. The package's errors begin small, to be put into longer ones. */
export function sentence(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^(?=wss?:\/\/)/, `${texts.theAddress} `);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…:]$/.test(text) ? "" : "."}`;
}
