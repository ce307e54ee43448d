/** Shows third-party text as it is, rather than as it is made to look. */

/**
 * Replaces each character that is invisible, or that reorders its neighbors, by its number: `\u{202e}`. Text that is
 * reviewed before it is accepted goes through here. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/**
 * Formats (bidirectional controls, joiners, tags), controls, separators other than a blank, fillers, variation
 * selectors.
 */
const UNSEEN = /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0e\uffa0\u{e0100}-\u{e01ef}]|(?![\t\n\r])\p{Cc}/gu;
