//! Prepares the files that the LLM requested for display in an outbox.

use alloc::{
    format,
    string::{String, ToString},
    vec,
};

use memchr::memchr_iter;

use super::line::{is_line_end, line, one_line};
use crate::agent::{apply::edit, command::ReadRequest, sha::sha};

/// A file that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The path from the workspace's root, with `/`.
    pub path: String,
    /// The text, or the part of it to show.
    pub text: String,
    /// Number of its first line, if line numbers are shown.
    pub numbered_from: Option<usize>,
    /// Further remark, such as the amount that is missing.
    pub note: Option<String>,
}

/// Shows a file, or the requested part of it. `room` is the number of bytes that this message may still show.
///
/// `file` is the whole file, or the reason why it cannot be read.
#[must_use]
pub fn show(request: &ReadRequest, file: Result<&[u8], String>, room: &mut usize) -> Contents {
    let mut contents = Contents {
        path: request.path.clone(),
        text: String::new(),
        numbered_from: None,
        note: None,
    };
    match file {
        Err(why) => contents.note = Some(why),
        Ok(file) if edit::is_binary(file) => {
            contents.note = Some(format!(
                "binary, {} bytes, sha256 {}",
                file.len(),
                sha(file)
            ));
        }
        Ok(file) => fill(&mut contents, file, request, room),
    }
    contents
}

fn fill(contents: &mut Contents, file: &[u8], request: &ReadRequest, room: &mut usize) {
    let lines = edit::count_lines(file);
    let first = request.first.map_or(1, |first| first as usize);
    let last = request
        .last
        .map_or(lines, |last| (last as usize).min(lines));
    let text = String::from_utf8_lossy(file);
    let whole = (first, last) == (1, lines);
    let part: String = match whole {
        true => text.into_owned(),
        false => text
            .split_inclusive('\n')
            .take(last)
            .skip(first.saturating_sub(1))
            .collect(),
    };
    let end = part.floor_char_boundary((*room).min(FILE_SHOWN));
    *room -= end;
    contents.numbered_from = request.numbered.then_some(first);
    contents.note = match (whole, end < part.len()) {
        (_, true) => Some(format!(
            "only the first {end} bytes; request the rest with start_line and end_line"
        )),
        (false, false) => Some(format!("lines {first}-{last} of {lines}")),
        (true, false) => None,
    };
    contents.text = part[..end].to_string();
}

pub(super) fn write(text: &mut String, contents: &[Contents]) {
    if contents.is_empty() {
        return;
    }
    line(text, "\n## Requested File Contents");
    for file in contents {
        one_file(text, file);
    }
}

fn one_file(text: &mut String, file: &Contents) {
    let path = one_line(&file.path, '⏎');
    let code = code(&file.text);
    let marked = file
        .text
        .split(is_line_end)
        .any(|line| line.trim().starts_with("=== "));
    line(text, &format!("--- {path}{code} ---"));
    match file.numbered_from {
        Some(first) => numbered(text, &file.text, first),
        None if marked => numbered(text, &file.text, 1),
        None => push_whole_lines(text, &file.text),
    }
    line(text, &format!("--- end {path}{code} ---"));
    if marked && file.numbered_from.is_none() {
        line(
            text,
            "(shown with line numbers, because the file contains a section marker)",
        );
    }
    if let Some(note) = &file.note {
        line(text, &format!("({})", one_line(note, '⏎')));
    }
}

fn push_whole_lines(text: &mut String, file: &str) {
    text.push_str(file);
    if !file.is_empty() && !file.ends_with('\n') {
        text.push('\n');
    }
}

/// Numbers the lines. Each character that some program treats as a line end counts as one, so that every line has a
/// number.
fn numbered(text: &mut String, file: &str, first: usize) {
    for (at, whole) in file.split_terminator('\n').enumerate() {
        let whole = whole.strip_suffix('\r').unwrap_or(whole);
        line(
            text,
            &format!("{:>5}| {}", first + at, one_line(whole, '⏎')),
        );
    }
}

/// Returns a code that the file does not contain, for a file whose lines could be mistaken for its end.
fn code(file: &str) -> String {
    if !file
        .split(is_line_end)
        .any(|line| line.trim().starts_with(['-', '=']))
    {
        return String::new();
    }
    let mut is_taken = vec![false; 1 << u16::BITS];
    for at in memchr_iter(b'[', file.as_bytes()) {
        let digits = file.get(at + 1..at + 5);
        if let Some(Ok(code)) = digits.map(|digits| u16::from_str_radix(digits, 16)) {
            is_taken[usize::from(code)] = true;
        }
    }
    let codes = (1..=u16::MAX).map(|number| number.wrapping_mul(40_503));
    let code = codes.into_iter().find(|&code| !is_taken[usize::from(code)]);
    code.map_or_else(String::new, |code| format!(" [{code:04x}]"))
}

/// Limit of file content shown in one message, in bytes, over all requested files.
pub const CONTENTS_LIMIT: usize = 1024 * 1024;
/// Limit of content shown from one file, in bytes.
const FILE_SHOWN: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_limits_and_binary_files_are_named_by_their_hash() {
        let request = ReadRequest::plain("a".into());
        let mut room = 5;
        let contents = show(&request, Ok("aé\nüü".as_bytes()), &mut room);
        assert_eq!((contents.text.as_str(), room), ("aé\n", 1));
        assert!(contents.note.unwrap().starts_with("only the first 4 bytes"));
        let binary = show(&request, Ok(b"\0\x01"), &mut room).note.unwrap();
        assert!(
            binary.starts_with("binary, 2 bytes, sha256 b413f47d13ee2fe6"),
            "{binary}"
        );
        let part = ReadRequest {
            first: Some(2),
            last: Some(9),
            ..request
        };
        let contents = show(&part, Ok(b"a\nb\nc"), &mut CONTENTS_LIMIT.clone());
        assert_eq!(
            (contents.text.as_str(), contents.note.as_deref()),
            ("b\nc", Some("lines 2-3 of 3"))
        );
    }
}
