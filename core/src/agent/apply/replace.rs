//! Replaces texts that occur exactly once in a file.

use alloc::{format, string::String, vec::Vec};

use memchr::memmem;

use super::edit;
use crate::agent::{characters::plain, command::Replacement, settings::Eol};

/// Replaces texts one after the other. Line ends, a byte order mark and a missing final newline stay as they are.
///
/// # Errors
/// A text does not occur in the file, or occurs more than once; or the file is binary. Nothing is replaced then.
///
/// A text that matches only after no-break spaces, zero-width characters and curly quotes are replaced by plain
/// characters is accepted, and a note reports it. The replacement stays unchanged.
pub(super) fn apply(
    file: &[u8],
    replacements: &[Replacement],
) -> Result<(Vec<u8>, Vec<String>), String> {
    if edit::is_binary(file) {
        return Err("the file is binary".into());
    }
    let eol = Eol::of(file);
    let mut file = file.to_vec();
    let mut notes = Vec::new();
    for (number, Replacement { find, replace }) in replacements.iter().enumerate() {
        let (find, replace) = (eol.apply(find), eol.apply(replace));
        let placed = place(&file, find.as_bytes(), eol).or_else(|why| {
            let plain = plain(&find);
            let found = place(&file, plain.as_bytes(), eol).map_err(|_| why)?;
            notes.push(PLAIN.into());
            Ok::<_, String>(found)
        });
        let (start, end) = placed.map_err(|why| {
            let which = if replacements.len() == 1 {
                String::new()
            } else {
                format!(" {}", number + 1)
            };
            let first = find.lines().next().unwrap_or_default();
            format!("the text to find{which} ('{}') {why}", first.trim())
        })?;
        let mut new = replace.as_bytes();
        if end == file.len() && !file.ends_with(eol.bytes()) {
            new = new.strip_suffix(eol.bytes()).unwrap_or(new);
        }
        file.splice(start..end, new.iter().copied());
    }
    Ok((file, notes))
}

/// Returns the only place where a text occurs, as whole lines.
fn place(file: &[u8], find: &[u8], eol: Eol) -> Result<(usize, usize), String> {
    let ends = eol.bytes();
    let is_start = |at: usize| {
        at == 0 || file[..at].ends_with(ends) || (at == MARK.len() && file.starts_with(MARK))
    };
    let mut found: Vec<(usize, usize)> = memmem::find_iter(file, find)
        .filter(|at| is_start(*at))
        .map(|at| (at, at + find.len()))
        .collect();
    // The last line of a file may lack a line end.
    if let Some(last) = find.strip_suffix(ends).filter(|last| file.ends_with(last)) {
        let at = file.len() - last.len();
        if is_start(at) && !last.is_empty() {
            found.push((at, file.len()));
        }
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(
            "does not occur in it; each line must match the file exactly, including spaces".into(),
        ),
        _ => Err(format!(
            "occurs {} times in it; include more of the lines around it",
            found.len()
        )),
    }
}

const MARK: &[u8] = b"\xef\xbb\xbf";
const PLAIN: &str = "the text was found in the file with plain spaces and quotes";

#[cfg(test)]
mod tests {
    use super::*;

    fn one(find: &str, replace: &str) -> [Replacement; 1] {
        [Replacement {
            find: find.into(),
            replace: replace.into(),
        }]
    }

    #[test]
    fn a_text_is_replaced_where_it_is_once_and_nothing_else_changes() {
        for (file, find, replace, wanted) in [
            ("a\nb\nc\n", "b\n", "x\ny\n", "a\nx\ny\nc\n"),
            ("a\r\nb\r\n", "b\n", "x\n", "a\r\nx\r\n"),
            ("a\nb", "b\n", "x\n", "a\nx"),
            ("\u{feff}a\n", "a\n", "x\n", "\u{feff}x\n"),
            ("ab\nb\n", "b\n", "", "ab\n"),
            (
                "x = \"a\"\n",
                "x = “a”\n",
                "y =\u{a0}“b”\n",
                "y =\u{a0}“b”\n",
            ),
        ] {
            let (after, notes) = apply(file.as_bytes(), &one(find, replace)).unwrap();
            assert_eq!(String::from_utf8(after).unwrap(), wanted, "{file:?}");
            assert_eq!(notes.is_empty(), !find.contains('“'), "{file:?}");
        }
    }

    #[test]
    fn a_text_that_is_twice_or_not_there_changes_nothing() {
        for (file, find, why) in [
            ("b\na\nb\n", "b\n", "occurs 2 times in it"),
            ("b\na\nb", "b\n", "occurs 2 times in it"),
            ("a\n", "  a\n", "does not occur in it"),
            ("ab\n", "b\n", "does not occur in it"),
            ("\0", "b\n", "binary"),
        ] {
            let said = apply(file.as_bytes(), &one(find, "x\n")).unwrap_err();
            assert!(said.contains(why), "{file:?}: {said}");
        }
    }
}
