//! A map of a repository: names of definitions by file, the most used first.
//!
//! Definitions are recognized by their first words, which is enough to show where to look; no language is parsed.

use alloc::{
    borrow::ToOwned,
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};
use core::cmp::Ordering;

/// A file and the names that it defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// The path from the workspace's root, with `/`.
    pub path: String,
    /// Names, in the order of the file.
    pub names: Vec<String>,
}

/// Returns true for a file whose definitions can be found.
#[must_use]
pub fn is_mappable(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.contains(&extension)
}

/// Maps files, given as paths and texts. Files whose names many other files use come first; at most `limit` bytes of
/// paths and names are kept.
#[must_use]
pub fn map(files: &[(&str, &str)], limit: usize) -> Vec<Mapped> {
    let defined: Vec<Vec<&str>> = files.iter().map(|(_, text)| definitions(text)).collect();
    let users = users(files, &defined);
    let mut ranked: Vec<(usize, usize)> = defined
        .iter()
        .map(|names| names.iter().map(|name| users[name]).sum())
        .zip(0..)
        .filter(|(_, at): &(usize, usize)| !defined[*at].is_empty())
        .collect();
    ranked.sort_by(|(a, one), (b, other)| b.cmp(a).then(files[*one].0.cmp(files[*other].0)));
    let mut room = limit;
    let mut mapped = Vec::new();
    for (_, at) in ranked {
        let names = most_used(&defined[at], &users);
        let size = files[at].0.len() + names.iter().map(|name| name.len() + 2).sum::<usize>() + 4;
        if size > room {
            break;
        }
        room -= size;
        mapped.push(Mapped {
            path: files[at].0.to_owned(),
            names: names.into_iter().map(ToOwned::to_owned).collect(),
        });
    }
    mapped
}

/// Number of files that mention each defined name.
fn users<'a>(files: &[(&str, &'a str)], defined: &[Vec<&'a str>]) -> BTreeMap<&'a str, usize> {
    let mut users: BTreeMap<&str, usize> = defined.iter().flatten().map(|it| (*it, 0)).collect();
    for (_, text) in files {
        let words: BTreeSet<&str> = text.split(|c| !is_word(c)).collect();
        for word in words {
            if let Some(count) = users.get_mut(word) {
                *count += 1;
            }
        }
    }
    users
}

/// Returns the most used names of a file, in its order.
fn most_used<'a>(names: &[&'a str], users: &BTreeMap<&str, usize>) -> Vec<&'a str> {
    let mut counts: Vec<usize> = names.iter().map(|name| users[name]).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let least = counts.get(NAMES - 1).copied().unwrap_or_default();
    let above = counts.iter().filter(|count| **count > least).count();
    let mut room = NAMES - above.min(NAMES);
    let is_kept = |name: &&&str| match users[**name].cmp(&least) {
        Ordering::Greater => true,
        Ordering::Equal => {
            let has_room = room > 0;
            room = room.saturating_sub(1);
            has_room
        }
        Ordering::Less => false,
    };
    names.iter().filter(is_kept).copied().collect()
}

/// Returns the names that a text defines, each once.
fn definitions(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    for name in text.lines().filter_map(defined) {
        if seen.insert(name) {
            names.push(name);
        }
    }
    names
}

/// Returns the name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let end = rest
            .find(|c: char| !is_word(c) && c != '!')
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if KEYWORDS.contains(&word) {
            return name_of(after.trim_start(), word);
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
        // `pub(crate)` and `extern "C"`
        let after = after.trim_start();
        rest = match after.as_bytes().first() {
            Some(b'(') => after.split_once(')')?.1,
            Some(b'"') => after[1..].split_once('"')?.1,
            _ => after,
        }
        .trim_start();
    }
}

fn name_of<'a>(rest: &'a str, keyword: &str) -> Option<&'a str> {
    // `func (receiver Type) name` and `function* name`
    let rest = match rest.strip_prefix('(') {
        Some(inner) if keyword == "func" => inner.split_once(')')?.1.trim_start(),
        _ => rest.trim_start_matches(['*', ' ']),
    };
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    (end > 1).then_some(&rest[..end])
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Number of names of one file.
const NAMES: usize = 24;

const KEYWORDS: [&str; 17] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "union",
    "macro_rules!",
    "def",
    "class",
    "function",
    "interface",
    "func",
    "type",
    "module",
    "namespace",
    "record",
    "object",
    "protocol",
];
const MODIFIERS: [&str; 18] = [
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "abstract",
    "final",
    "const",
    "unsafe",
    "extern",
    "inline",
    "override",
    "sealed",
    "data",
    "declare",
];
const EXTENSIONS: [&str; 24] = [
    "rs", "py", "pyi", "js", "mjs", "jsx", "ts", "tsx", "go", "java", "kt", "kts", "swift", "c",
    "h", "cc", "cpp", "hpp", "cs", "rb", "php", "scala", "dart", "lua",
];

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn names_are_found_in_every_language_and_the_most_used_file_comes_first() {
        let files = [
            ("a.rs", "fn main() { add(1); Sum::new(); }\n"),
            (
                "lib.rs",
                "/// fn no()\npub(crate) fn add() {}\npub struct Sum;\nimpl Sum { pub const fn new() {} }\n    async fn run() {}\n",
            ),
            (
                "b.py",
                "class Shape(Base):\n    def area(self): return add(self)\n",
            ),
            (
                "c.ts",
                "export default class Page {}\nexport async function* load() {}\ninterface View {}\n",
            ),
            (
                "d.go",
                "func (s *Server) Serve() {}\ntype Server struct {}\n",
            ),
            ("e.h", "struct point { int x; };\nint typed = 1;\n"),
        ];
        let mapped = map(&files, 10_000);
        let said: Vec<_> = mapped
            .iter()
            .map(|it| (&*it.path, it.names.join(" ")))
            .collect();
        assert_eq!(said[0], ("lib.rs", "add Sum run".into()));
        for wanted in [
            ("b.py", "Shape area"),
            ("c.ts", "Page load View"),
            ("d.go", "Serve Server"),
            ("e.h", "point"),
        ] {
            assert!(said.contains(&(wanted.0, wanted.1.into())), "{said:?}");
        }
        assert_eq!(map(&files, 30).len(), 1);
        let many: String = (10..40).map(|it| format!("def f{it}(): pass\n")).collect();
        let used: String = (25..40).map(|it| format!("f{it}() ")).collect();
        let names = &map(&[("many.py", &many), ("use.py", &used)], 10_000)[0].names;
        let wanted = (10..19).chain(25..40).map(|it| format!("f{it}"));
        assert_eq!(*names, wanted.collect::<Vec<_>>());
        assert!(is_mappable("src/a.rs") && !is_mappable("README.md"));
    }
}
