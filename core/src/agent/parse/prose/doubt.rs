//! Detects words around a block that mark it as an example. In doubt, nothing of the reply is carried out.

use crate::agent::command::Command;
use crate::agent::parse::{
    body,
    fault::{Fault, Reason},
    prose::marks,
    text::Line,
    walk::Parser,
};
use alloc::string::{String, ToString};

impl<'a> Parser<'a> {
    /// Handles a line without a command.
    pub(in crate::agent::parse) fn prose(&mut self, line: Line<'a>) {
        if line.text.is_empty() || line.text.starts_with("```") || line.text.starts_with("~~~") {
            return;
        }
        let indent = body::indent(&self.cursor.message[line.start..]);
        match marks::list_mark(line.text) {
            Some(length) => self.list = Some(indent + length),
            None if self.list.is_some_and(|column| indent < column) => self.list = None,
            None => {}
        }
        // The line says nothing by itself: the prose before it still introduces what follows.
        if is_wordless(line.text) && !introduces_example(line.text) {
            return;
        }
        if self.just_found && takes_back(line.text) {
            self.example.get_or_insert(line.number);
        }
        self.just_found = false;
        self.lead = Some(line);
    }

    /// Handles a command that follows the last line of prose.
    pub(in crate::agent::parse) fn after_lead(&mut self) {
        self.just_found = true;
        if let Some(lead) = self
            .lead
            .take()
            .filter(|lead| introduces_example(lead.text))
        {
            self.example.get_or_insert(lead.number);
        }
    }

    /// Refuses every command of a reply that shows a command as an example, except messages to the person.
    pub(in crate::agent::parse) fn refuse_examples(&mut self) {
        let Some(line) = self.example.filter(|_| !self.options.strict) else {
            return;
        };
        for item in &mut self.inbox.items {
            if let Ok(command) = &item.outcome
                && !matches!(command, Command::Message { .. })
            {
                item.outcome = Err(Fault {
                    command: command.kind().name().to_string(),
                    reason: Reason::Example { line },
                });
            }
        }
    }
}

/// Returns true for a line that introduces a block which could be executed, but may not be meant to be.
pub(in crate::agent::parse) fn introduces_example(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| marks::is_mark(c) && c != ':');
    if !line.ends_with([':', '…', '：']) {
        return false;
    }
    let line = without_asides(&plain(line));
    let words = line.trim_matches(|c: char| !c.is_alphanumeric());
    ALONE.contains(&words) || says(&line, &BEFORE)
}

/// Returns true for a line that consists of marks, an HTML tag, or a path used as a label.
fn is_wordless(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "-*_=#`:.~•—–".contains(c));
    let is_one = !line.contains(char::is_whitespace);
    let is_tag = line.starts_with('<') && line.find('>') == Some(line.len().saturating_sub(1));
    let is_path =
        is_one && line.contains(['/', '.']) && !line.contains('<') && !line.contains("://");
    !line.contains(char::is_alphanumeric) || is_tag || is_path
}

/// Removes examples in parentheses, which explain a word rather than the text that follows.
fn without_asides(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, inner)) = rest.split_once('(') {
        let is_aside = ASIDES.iter().any(|words| inner.starts_with(words));
        kept.push_str(before);
        rest = match is_aside.then(|| inner.split_once(')')) {
            Some(Some((_, after))) => after,
            // No later aside ends either.
            Some(None) => return kept + "(" + inner,
            None => {
                kept.push('(');
                inner
            }
        };
    }
    kept + rest
}

/// Returns true for a line after a block that says the block was not meant.
pub(in crate::agent::parse) fn takes_back(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line = plain(line);
    AFTER.iter().any(|words| line.starts_with(words))
}

fn says(line: &str, all: &[&str]) -> bool {
    all.iter().any(|words| {
        line.match_indices(words).any(|(at, _)| {
            let after = &line[at + words.len()..];
            let is_wish =
                WISHED.contains(words) && WISHES.iter().any(|wish| after.starts_with(wish));
            let is_part = line[..at].ends_with(char::is_alphanumeric)
                || after.starts_with(char::is_alphanumeric);
            !is_wish && !is_part
        })
    })
}

fn plain(line: &str) -> String {
    line.replace('’', "'").to_lowercase()
}

/// Words that introduce an example if they are alone on their line.
const ALONE: [&str; 6] = [
    "example",
    "an example",
    "beispiel",
    "ein beispiel",
    "ejemplo",
    "exemple",
];

/// Beginnings of an aside.
const ASIDES: [&str; 6] = [
    "e.g.",
    "for example",
    "for instance",
    "z. b.",
    "z.b.",
    "zum beispiel",
];

/// Words after which the [`WISHED`] ones announce work.
const WISHES: [&str; 3] = [" like to", " love to", " gern"];
const WISHED: [&str; 3] = ["i'd", "i would", "ich würde"];

const BEFORE: [&str; 44] = [
    "you could",
    "one could",
    "we could",
    "i could also",
    "could be",
    "could also",
    "could look like",
    "you might",
    "you can also",
    "you would",
    "i would",
    "i'd",
    "would be",
    "would look like",
    "for example",
    "for instance",
    "e.g.",
    "alternatively",
    "if you want",
    "if you wanted",
    "if you prefer",
    "if you'd",
    "instead you",
    "do not run",
    "don't run",
    "never run",
    "do not do",
    "don't do",
    "do not use",
    "don't use",
    "never do",
    "not like this",
    "man könnte",
    "du könntest",
    "könnten wir",
    "könnte man",
    "ich würde",
    "zum beispiel",
    "podrías",
    "se podría",
    "por ejemplo",
    "tu pourrais",
    "on pourrait",
    "par exemple",
];

const AFTER: [&str; 22] = [
    "but i would not",
    "but i wouldn't",
    "but i will not",
    "but i won't",
    "but i do not",
    "but i don't",
    "but do not",
    "but don't",
    "but that would",
    "but this would",
    "i would not",
    "i wouldn't",
    "do not run this",
    "do not run that",
    "don't run this",
    "don't run that",
    "this is only an example",
    "this is just an example",
    "aber das würde ich nicht",
    "aber ich würde",
    "pero no lo",
    "mais je ne",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_words_are_known() {
        for line in [
            "---",
            "<br>",
            "<br/>",
            "***",
            "`src/a.rs`:",
            "**old.py**",
            "—",
        ] {
            assert!(is_wordless(line), "{line}");
        }
        for line in [
            "Now.",
            "I delete it:",
            "See https://example.org/a",
            "<b>Now</b>",
        ] {
            assert!(!is_wordless(line), "{line}");
        }
    }

    #[test]
    fn examples_are_known_by_the_words_around_them_and_work_is_not() {
        for line in [
            "You could delete it like this:",
            "**Alternatively, you could run:**",
            "For example:",
            "Don’t run this:",
            "Man könnte es so löschen:",
            "Example:",
            "**Example**:",
            "E.g.:",
            "For instance:",
            "I would delete it like this:",
            "You could add it (e.g. here):",
        ] {
            assert!(introduces_example(line), "{line}");
        }
        for line in [
            "I delete the file, which I could not use:",
            "I add an example:",
            "So that the tests do not fail, I change the parser:",
            "Instead of a list I use a map:",
            "You could delete it.",
            "Now I run it:",
            "I'd like to see the file first:",
            "First, I would like to add the parser:",
            "Ich würde gerne die Datei anlegen:",
            "I add the constants (e.g. `MAX`) to the module:",
            "The next example:",
        ] {
            assert!(!introduces_example(line), "{line}");
        }
        for line in [
            ", but I would not.",
            "But don’t do that!",
            "— aber ich würde es nicht tun",
        ] {
            assert!(takes_back(line), "{line}");
        }
        for line in [
            "But first I read it.",
            "This would be all.",
            "I run it now.",
        ] {
            assert!(!takes_back(line), "{line}");
        }
    }
}
