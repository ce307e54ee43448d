/** Text that others wrote, as it is and not as it would have itself shown. */

/**
 * Names each character that cannot be seen, or turns round what stands beside it, by its number: `\u{202e}`. What is looked at before it is
 * accepted goes through here. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Formats (bidirectional controls, joiners, tags), controls, other separators than a blank, fillers, selectors of variants. */
const UNSEEN = /[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0e\uffa0\u{e0100}-\u{e01ef}]|(?![\t\n\r])\p{Cc}/gu;
