//! One line of a message, and the characters that some reader treats as its end.

use alloc::string::String;

pub(super) fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Returns a text as one line: line ends become `end`, other control characters their pictures.
pub(super) fn one_line(text: &str, end: char) -> String {
    let visible = |c: char| match c {
        _ if is_line_end(c) => end,
        '\0'..='\u{1f}' if c != '\t' => char::from_u32(c as u32 + 0x2400).unwrap_or(end),
        '\u{7f}'..='\u{9f}' => '\u{2421}',
        _ => c,
    };
    text.trim_end_matches(is_line_end)
        .chars()
        .map(visible)
        .collect()
}

/// Returns true for characters that some reader treats as the end of a line.
pub(super) const fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}
