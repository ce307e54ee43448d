//! Openings of doc comments (docs/style.md, 1 and 2), in every language of the tree.

/// Faults of a file: each doc comment that opens with a question word or a riddle, with its line.
pub(super) fn faults(path: &str, text: &str) -> Vec<String> {
    let Some(language) = Language::of(path) else {
        return Vec::new();
    };
    let openings = language.openings(text).into_iter();
    openings
        .filter(|(_, opening)| is_riddle(opening))
        .map(|(line, opening)| {
            format!("{path}:{line}: open with a noun or a verb (docs/style.md): {opening}")
        })
        .collect()
}

fn is_riddle(opening: &str) -> bool {
    let word = opening
        .split(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_compound = opening[word.len()..].starts_with(['-', '_', '.', ':'])
        && !opening[word.len()..].starts_with(". ");
    let is_alone = opening.len() == word.len() + 1 && opening.ends_with('.');
    opening.starts_with("The same") || RIDDLES.contains(&word) && (is_alone || !is_compound)
}

/// Returns the first line of each doc comment of a file, with its number from 1.
pub(crate) fn of<'a>(path: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    Language::of(path).map_or_else(Vec::new, |language| language.openings(text))
}

#[derive(Clone, Copy)]
enum Language {
    Rust,
    Script,
    Python,
}

impl Language {
    fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "rs" => Some(Self::Rust),
            "ts" | "tsx" | "js" | "mjs" | "cjs" => Some(Self::Script),
            "py" | "pyi" => Some(Self::Python),
            _ => None,
        }
    }

    /// Returns the first line of each doc comment, with its number from 1.
    fn openings(self, text: &str) -> Vec<(usize, &str)> {
        match self {
            Self::Rust => rust(text),
            Self::Script => script(text),
            Self::Python => python(text),
        }
    }
}

fn rust(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut before = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let marker = ["///", "//!"]
            .into_iter()
            .find(|marker| line.starts_with(marker));
        if let Some(marker) = marker
            && before != Some(marker)
        {
            found.push((index + 1, line[marker.len()..].trim()));
        }
        before = marker;
    }
    found
}

fn script(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let Some(rest) = line.trim_start().strip_prefix("/**") else {
            continue;
        };
        let first = rest.split("*/").next().unwrap_or_default().trim();
        let second = lines
            .peek()
            .map(|(_, line)| line.trim_start_matches([' ', '\t', '*']));
        found.push(match second {
            Some(second) if first.is_empty() => (index + 2, second),
            _ => (index + 1, first),
        });
    }
    found
}

fn python(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_inside = false;
    let mut is_awaited = false;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start().trim_start_matches('r');
        if is_awaited {
            found.push((index + 1, trimmed));
        }
        is_awaited = false;
        if !is_inside && let Some(rest) = trimmed.strip_prefix(QUOTES) {
            is_awaited = rest.trim().is_empty();
            if !is_awaited {
                found.push((
                    index + 1,
                    rest.split(QUOTES).next().unwrap_or_default().trim(),
                ));
            }
        }
        is_inside ^= line.matches(QUOTES).count() % 2 == 1;
    }
    found
}

const QUOTES: &str = "\"\"\"";

/// First words that make a reader wait for the noun.
const RIDDLES: [&str; 27] = [
    "What",
    "Whatever",
    "Whether",
    "Who",
    "Whoever",
    "Whom",
    "Whose",
    "How",
    "However",
    "Why",
    "Which",
    "Whichever",
    "Where",
    "Wherever",
    "When",
    "Whenever",
    "So",
    "As",
    "That",
    "Those",
    "Such",
    "There",
    "Somebody",
    "Nobody",
    "Something",
    "Somewhere",
    "Someone",
];

#[cfg(test)]
mod tests {
    use super::faults;

    fn count(path: &str, text: &str) -> usize {
        faults(path, text).len()
    }

    #[test]
    fn an_opening_with_a_question_word_is_named_with_its_line() {
        assert_eq!(
            faults("a.rs", "fn a() {}\n\n    /// What it is.\n    b: u8,\n"),
            ["a.rs:3: open with a noun or a verb (docs/style.md): What it is."]
        );
    }

    #[test]
    fn only_the_first_line_of_a_comment_opens_it() {
        assert_eq!(
            count("a.rs", "/// Number of lines, and\n/// what they hold.\n"),
            0
        );
        assert_eq!(count("a.rs", "/// Lines.\n///\n/// What follows.\n"), 0);
        assert_eq!(count("a.rs", "//! Who.\n"), 1);
        assert_eq!(count("a.rs", "/// The same again.\n"), 1);
        assert_eq!(count("a.rs", "/// As-is.\n/// Whole.\n"), 0);
    }

    #[test]
    fn every_language_of_the_tree_is_read() {
        assert_eq!(count("a.ts", "/** Where. */\nconst a = 1;\n"), 1);
        assert_eq!(count("a.js", "/**\n * How many.\n */\nlet a;\n"), 1);
        assert_eq!(count("a.d.ts", "  /** Number of whats. */\n"), 0);
        assert_eq!(count("a.py", "def a():\n    \"\"\"Whether.\"\"\"\n"), 1);
        assert_eq!(count("a.py", "\"\"\"\nWhy.\n\"\"\"\n"), 1);
        assert_eq!(count("a.py", "a = \"\"\"\nWhat\n\"\"\"\nb = 'Who'\n"), 0);
        assert_eq!(count("a.md", "/// What\n"), 0);
    }
}
