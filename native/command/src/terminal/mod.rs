//! Filters output to the person's terminal.
//!
//! Third-party text (from a device, a server, an LLM, or the names of files) is made visible before it reaches a
//! terminal: none of it moves the cursor, writes the clipboard, or hides or reverses the text beside it. Files and
//! pipes receive it byte for byte. The output of a program that the person runs is up to that program: `exec`, `run`
//! and `repl` pass it on unchanged.
//!
//! Nothing else in this program writes to its outputs; the lints in `main.rs` ensure that.

pub(crate) mod input;
pub(crate) mod interrupts;
pub(crate) mod progress;
pub(crate) mod shutdown;
pub(crate) mod stdin;

use std::{
    borrow::Cow,
    fmt::{Display, Write as _},
    io::{self, IsTerminal as _, Write as _},
};

/// Returns a text in which everything is made visible that a terminal would obey or a person would not see. Line ends
/// and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    made_visible(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// Like [`visible`], for a text that is only a part of a line, such as a name: line ends and tabs
/// would fake another one.
pub(crate) fn visible_line(text: &str) -> Cow<'_, str> {
    made_visible(text, is_hidden)
}

fn made_visible(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    for c in text.chars() {
        match c {
            _ if !is_hidden(c) || is_style(c, before) => shown.push(c),
            '\0'..='\u{1f}' => shown.extend(char::from_u32(0x2400 + u32::from(c))),
            '\u{7f}' => shown.push('\u{2421}'),
            _ => drop(write!(shown, "\\u{{{:x}}}", u32::from(c))),
        }
        before = Some(c);
    }
    Cow::Owned(shown)
}

/// Returns true for the single selector after a symbol that determines whether it is drawn as an emoji. Further
/// selectors carry something else.
fn is_style(c: char, before: Option<char>) -> bool {
    let is_symbol = |before: char| before >= '\u{a9}' && !is_hidden(before);
    matches!(c, '\u{fe0e}' | '\u{fe0f}') && before.is_some_and(is_symbol)
}

/// Returns true for control characters, and for those that Unicode 17.0 calls default ignorable, bidirectional
/// formatting or separators of lines, which take no space or move the text beside them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Writes text to stdout.
///
/// # Errors
/// When nobody reads it any more.
pub(crate) fn print(text: impl Display) -> io::Result<()> {
    let text = text.to_string();
    match io::stdout().is_terminal() {
        true => print_raw(visible(&text).as_bytes()),
        false => print_raw(text.as_bytes()),
    }
}

/// Writes a line to stdout.
///
/// # Errors
/// When nobody reads it any more.
pub(crate) fn print_line(text: impl Display) -> io::Result<()> {
    print(format_args!("{text}\n"))
}

/// Writer of a file's content to stdout, as it arrives.
#[derive(Debug, Default)]
pub(crate) struct ContentPrinter {
    /// First bytes of a character whose other bytes follow; used on a terminal alone.
    beginning: Vec<u8>,
}

impl ContentPrinter {
    /// Writes the next bytes.
    ///
    /// # Errors
    /// When nobody reads them any more.
    pub(crate) fn print(&mut self, piece: &[u8]) -> io::Result<()> {
        if !io::stdout().is_terminal() {
            return print_raw(piece);
        }
        print(self.whole_characters(piece))
    }

    /// Writes the rest, at the end of the content.
    ///
    /// # Errors
    /// When nobody reads it any more.
    pub(crate) fn finish(self) -> io::Result<()> {
        print(String::from_utf8_lossy(&self.beginning))
    }

    fn whole_characters(&mut self, piece: &[u8]) -> String {
        self.beginning.extend_from_slice(piece);
        let whole = self.beginning.len() - unfinished(&self.beginning);
        let rest = self.beginning.split_off(whole);
        let text = String::from_utf8_lossy(&self.beginning).into_owned();
        self.beginning = rest;
        text
    }
}

/// Counts the bytes at the end that are an incomplete UTF-8 character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    let end = last.map_or(&[][..], |chunk| chunk.invalid());
    // Bytes that cannot begin a character are an invalid one.
    match std::str::from_utf8(end) {
        Err(error) if error.error_len().is_none() => end.len(),
        _ => 0,
    }
}

/// Returns a name as a part of a line on stdout.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    match io::stdout().is_terminal() {
        true => visible_line(name),
        // Lines stay lines; `--json` has each name unchanged.
        false if name.contains(['\n', '\r']) => visible_line(name),
        false => Cow::Borrowed(name),
    }
}

/// Passes on the output of a program that the person runs, byte for byte as it arrives.
///
/// # Errors
/// When nobody reads it any more.
pub(crate) fn print_raw(output: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(output)?;
    stdout.flush()
}

/// Writes to stderr, ignoring errors: a command must end properly even without a reader, or a device would continue to
/// record.
pub(crate) fn say_raw(output: &[u8]) {
    let _ = io::stderr().lock().write_all(output);
}

/// Prints a line on stderr, even if nobody reads it.
pub(crate) fn say(text: impl Display) {
    say_part(format_args!("{text}\n"));
}

/// Prints a part of a line on stderr.
pub(crate) fn say_part(text: impl Display) {
    say_raw(visible(&text.to_string()).as_bytes());
}

/// Writes to a terminal in raw mode, which does not add a carriage return to a line feed
/// (termios(3), OPOST).
pub(crate) fn say_in_raw_mode(text: impl Display) {
    let text = visible(&text.to_string()).replace('\n', "\r\n");
    say_raw(text.as_bytes());
}

/// Prints a line on stderr, on a terminal in a color: the number of an SGR sequence (ECMA-48, 8.3.117).
pub(crate) fn say_in(color: &str, text: impl Display) {
    let text = text.to_string();
    let text = visible(&text);
    say_raw(
        match io::stderr().is_terminal() {
            true => format!("\x1b[{color}m{text}\x1b[0m\n"),
            false => format!("{text}\n"),
        }
        .as_bytes(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_comes_in_pieces_is_shown_whole() {
        let text = "na\u{ef}ve \u{65e5}\u{1f980}.";
        for size in 1..=text.len() {
            let mut shown = ContentPrinter::default();
            let pieces = text.as_bytes().chunks(size);
            let text_shown: String = pieces.map(|piece| shown.whole_characters(piece)).collect();
            assert_eq!(text_shown, text, "by {size}");
            assert!(shown.beginning.is_empty());
        }
        let mut shown = ContentPrinter::default();
        assert_eq!(shown.whole_characters(b"a\xe2"), "a");
        assert_eq!(shown.whole_characters(b"b"), "\u{fffd}b");
    }

    #[test]
    fn what_a_terminal_obeys_and_what_nobody_sees_becomes_visible() {
        for (hidden, shown) in [
            ("\x1b[2J", "␛[2J"),
            ("\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"),
            ("a\rb\x08\x7f\0", "a␍b␈␡␀"),
            ("\u{9b}2J\u{85}", "\\u{9b}2J\\u{85}"),
            ("a\u{202e}txt.exe", "a\\u{202e}txt.exe"),
            ("\u{200f}\u{200e}\u{61c}", "\\u{200f}\\u{200e}\\u{61c}"),
            (
                "rm\u{200b}\u{2060}\u{feff}",
                "rm\\u{200b}\\u{2060}\\u{feff}",
            ),
            ("\u{e0041}\u{e007f}", "\\u{e0041}\\u{e007f}"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ] {
            assert_eq!(visible(hidden), shown);
            assert_eq!(visible_line(hidden), shown);
        }
    }

    #[test]
    fn ordinary_text_is_as_it_was() {
        for text in ["", "naïve 日本語 العربية עברית ё 🦀 ❤\u{fe0f}", "a\tb\nc"]
        {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("❤\u{fe0f}\u{fe0e}"), "❤\u{fe0f}\\u{fe0e}");
        assert_eq!(visible_line("a\nb\tc"), "a␊b␉c");
    }
}
