//! Detects comments that stand for code omitted by the LLM: written literally, they would replace that code.

use crate::agent::parse::{build::yes_or_no, fault::Reason, tags::Opening};

/// Refuses a body with a line that stands for omitted lines, unless the tag declares it complete.
pub(in crate::agent::parse) fn refuse(opening: &Opening<'_>, body: &str) -> Result<(), Reason> {
    // In prose, such a line is a heading or a sentence.
    if opening
        .attribute("path")
        .is_some_and(|path| path.to_lowercase().ends_with(".md"))
    {
        return Ok(());
    }
    match first_line(body) {
        Some(line) if yes_or_no(opening, "complete")? != Some(true) => {
            Err(Reason::LeftOut { line: line + 1 })
        }
        _ => Ok(()),
    }
}

/// Returns the first line, counted from 0, that stands for omitted lines.
pub(in crate::agent::parse) fn first_line(body: &str) -> Option<usize> {
    body.lines().position(stands_for_others)
}

/// Returns true for a comment, in any language, saying that something stays as it was.
fn stands_for_others(line: &str) -> bool {
    let line = line.trim();
    let Some(leader) = LEADERS.iter().find(|leader| line.starts_with(*leader)) else {
        return false;
    };
    // `--flag` and `#![attribute]` begin with the same characters.
    let text = line[leader.len()..].trim_start_matches(['/', '*', '#', '-', '!', ';', '%']);
    let text = text
        .trim_end_matches(['}', '*', '/', '-', '>', ')', '"', '\''])
        .trim()
        .to_lowercase();
    let has_dots = text.contains("...") || text.contains('…');
    let inner = text.trim_matches(|c: char| {
        c == '.' || c == '…' || c == '[' || c == ']' || c == '(' || c.is_whitespace()
    });
    let says = |words: &[&str]| words.iter().any(|words| inner.starts_with(words));
    says(&PLAIN) && (has_dots || inner.split_whitespace().count() <= SHORT)
        || (has_dots && says(&WITH_DOTS))
}

/// Beginnings of comments, longer ones first.
const LEADERS: [&str; 13] = [
    "{/*", "<!--", "\"\"\"", "'''", "//", "/*", "(*", "--", "#", ";", "%", "*", "...",
];

/// Words that stand for omitted lines even without dots.
const PLAIN: [&str; 26] = [
    "rest unchanged",
    "rest of the file",
    "rest of file",
    "rest of the code",
    "rest of code",
    "rest of the function",
    "rest of the class",
    "rest of the implementation",
    "the rest of the file",
    "the rest of the code",
    "the rest remains",
    "rest remains",
    "remaining code",
    "existing code",
    "your existing code",
    "previous code",
    "code unchanged",
    "unchanged code",
    "same as before",
    "rest bleibt",
    "der rest bleibt",
    "restlicher code",
    "bestehender code",
    "resto del código",
    "resto del archivo",
    "reste du code",
];

/// Words that stand for omitted lines between dots.
const WITH_DOTS: [&str; 8] = [
    "unchanged",
    "rest",
    "the rest",
    "existing",
    "remaining",
    "same",
    "omitted",
    "unverändert",
];
/// Limit of words in such a comment; a full sentence about the rest of a file is an ordinary comment.
const SHORT: usize = 6;

#[cfg(test)]
mod tests {
    use super::stands_for_others;

    #[test]
    fn what_stands_for_left_out_code_is_known_in_every_language_of_comments() {
        for line in [
            "// rest unchanged",
            "    # ... rest of the code remains unchanged ...",
            "/* ... existing code ... */",
            "<!-- rest of the file unchanged -->",
            "-- remaining code",
            "{/* ... existing code ... */}",
            "; same as before",
            "% ... unchanged ...",
            "# [rest of the file unchanged]",
            "... rest of the code ...",
            "// … der Rest bleibt unverändert",
            "# resto del código sin cambios",
            "(* rest of the function *)",
        ] {
            assert!(stands_for_others(line), "{line}");
        }
        for line in [
            "// the rest of the bytes is padding",
            "rest unchanged",
            "# existing users keep their settings",
            "let rest = 1; // unchanged",
            "--rest-of-file",
            "// the rest of the file is read by the caller, which owns it",
            "...",
            "# ...",
            "",
            "*args",
        ] {
            assert!(!stands_for_others(line), "{line}");
        }
    }
}
