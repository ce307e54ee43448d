//! Prepares a program's output for display.

use alloc::{format, string::String, vec::Vec};

use crate::agent::settings::Truncate;

/// Converts a program's output to text: replaces bytes that are not text, removes colors and other terminal sequences,
/// reduces progress lines to their last state, and makes control characters visible.
#[must_use]
pub fn clean(bytes: &[u8]) -> String {
    if is_binary(bytes) {
        return format!("(binary output, {} bytes)", bytes.len());
    }
    let text = without_sequences(&String::from_utf8_lossy(bytes));
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        push_line(&mut shown, line);
    }
    shown
}

/// Returns at most `limit` characters of `text`: its beginning, a mark that gives the number and location of missing
/// characters, and its end, where errors are.
#[must_use]
pub fn shorten(text: &str, limit: usize, log: Option<&str>) -> String {
    let total = text.chars().count();
    if total <= limit {
        return text.into();
    }
    let log = log.map_or_else(String::new, |log| format!("; all of it: {log}"));
    let mark = |omitted: usize| format!("\n… ({omitted} characters omitted{log}) …\n");
    let room = limit.saturating_sub(mark(total).chars().count());
    let head = room * 3 / 8;
    let tail = room - head;
    let omitted = mark(total - head - tail);
    format!(
        "{}{}{}",
        first(text, head),
        first(&omitted, limit),
        last(text, tail)
    )
}

/// Shortens a text by either method.
#[must_use]
pub fn truncate(text: &str, limit: usize, how: Truncate, log: Option<&str>) -> String {
    match how {
        Truncate::Middle => shorten(text, limit, log),
        Truncate::Head => first(text, limit).into(),
    }
}

/// Returns the first `count` characters.
fn first(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(at, _)| &text[..at])
}

/// Returns the last `count` characters.
fn last(text: &str, count: usize) -> &str {
    match count {
        0 => "",
        _ => text
            .char_indices()
            .rev()
            .nth(count - 1)
            .map_or(text, |(at, _)| &text[at..]),
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    let strange = |byte: &u8| matches!(byte, 0..=6 | 14..=26 | 28..=31 | 127);
    let broken: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    (bytes.iter().filter(|byte| strange(byte)).count() + broken) * 10 > bytes.len() * 3
}

/// Removes `ESC [ … letter`, `ESC ] … BEL` and the two-character sequences.
fn without_sequences(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        shown.push_str(before);
        rest = skip_sequence(after);
    }
    shown.push_str(rest);
    shown
}

fn skip_sequence(after: &str) -> &str {
    let mut characters = after.chars();
    match characters.next() {
        Some('[') => skip_past(characters.as_str(), |c| ('\u{40}'..='\u{7e}').contains(&c)),
        Some(']' | 'P' | '_' | '^') => skip_past(characters.as_str(), |c| {
            matches!(c, '\u{7}' | '\u{9c}' | '\\' | '\n')
        }),
        Some('(' | ')') => skip_past(characters.as_str(), |_| true),
        Some('\n') | None => after,
        Some(_) => characters.as_str(),
    }
}

fn skip_past(text: &str, end: impl Fn(char) -> bool) -> &str {
    let end = text.char_indices().find(|&(_, c)| end(c));
    end.map_or("", |(at, c)| &text[at + c.len_utf8()..])
}

/// Appends a line as last seen, after carriage returns have overwritten parts of it.
fn push_line(shown: &mut String, line: &str) {
    let (line, end) = line
        .strip_suffix('\n')
        .map_or((line, ""), |line| (line, "\n"));
    let states: Vec<&str> = line.split('\r').filter(|state| !state.is_empty()).collect();
    shown.extend(
        states
            .last()
            .copied()
            .unwrap_or_default()
            .chars()
            .map(visible),
    );
    shown.push_str(end);
}

/// Returns control characters as their pictures.
const fn visible(c: char) -> char {
    match c {
        '\t' => '\t',
        '\0'..='\u{1f}' => match char::from_u32(c as u32 + 0x2400) {
            Some(picture) => picture,
            None => c,
        },
        '\u{7f}' => '\u{2421}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_titles_and_progress_are_reduced_to_what_was_seen() {
        assert_eq!(clean(b"\x1b[31merror\x1b[0m: x\r\n"), "error: x\n");
        assert_eq!(clean(b"\x1b]0;title\x07ok\x1b(B\n"), "ok\n");
        assert_eq!(clean(b" 10%\r 50%\r100%\ndone"), "100%\ndone");
        assert_eq!(
            clean(b"a\x07b\tc enough text here"),
            "a\u{2407}b\tc enough text here"
        );
    }

    #[test]
    fn output_that_is_no_text_is_only_counted() {
        assert_eq!(clean(&[0, 1, 2, 255]), "(binary output, 4 bytes)");
        assert_eq!(clean(b"caf\xe9 au lait"), "caf\u{fffd} au lait");
        assert_eq!(clean(b""), "");
    }

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end_within_the_limit() {
        let text: String = (0..9000)
            .map(|number| if number % 2 == 0 { 'ä' } else { '🦀' })
            .collect();
        let short = shorten(&text, 4000, Some("logs/1"));
        assert!(short.chars().count() <= 4000 && short.chars().count() > 3990);
        assert!(
            short.starts_with("ä🦀ä")
                && short.ends_with("ä🦀")
                && short.contains("characters omitted; all of it: logs/1")
        );
        let head = truncate(&text, 4000, Truncate::Head, Some("logs/1"));
        assert!(head.chars().count() == 4000 && text.starts_with(&head));
        assert_eq!(shorten("short", 4000, None), "short");
        assert_eq!(shorten(&text, 10, None).chars().count(), 10);
    }
}
