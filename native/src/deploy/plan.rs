//! Plans the steps that make one tree like another.

use std::{collections::BTreeMap, fmt};

/// Entries below a directory, by names relative to it.
pub type Tree = BTreeMap<String, Entry>;

/// Entry of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Kind and content.
    pub node: Node,
    /// True if a link leads to the entry's directory: it is then not ours to remove.
    pub is_linked: bool,
}

/// Kind and content of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A directory.
    Directory,
    /// A file with this SHA-256.
    File([u8; 32]),
    /// An entry that is not copied, nor is anything below it; nothing of that name is removed.
    Kept,
}

/// File or directory to copy or remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Name, relative to the tree's root.
    pub name: String,
    /// True for a directory.
    pub is_directory: bool,
}

/// Formats the name; that of a directory ends in a slash.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.is_directory { "/" } else { "" };
        write!(f, "{}{slash}", self.name)
    }
}

/// Steps to take, in this order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Entries to remove first, as something of another kind takes their place.
    pub clear: Vec<Step>,
    /// Entries to copy, directories before their content.
    pub copy: Vec<Step>,
    /// Entries to remove, directories after their content.
    pub remove: Vec<Step>,
    /// Number of unchanged files.
    pub unchanged: usize,
}

impl Plan {
    /// Plans to copy all differences. With `delete`, entries that the source lacks are removed from the target.
    #[must_use]
    pub fn new(source: &Tree, target: &Tree, delete: bool) -> Self {
        let mut plan = Self::default();
        for (name, entry) in source {
            let node = entry.node;
            if node == Node::Kept {
                continue;
            }
            if target.get(name).is_some_and(|there| there.node == node) {
                plan.unchanged += usize::from(node != Node::Directory);
            } else {
                plan.copy.push(Step::new(name, node));
            }
        }
        if delete {
            plan.remove(source, target);
        }
        plan
    }

    fn remove(&mut self, source: &Tree, target: &Tree) {
        for (name, entry) in target.iter().rev() {
            let is_ours = !entry.is_linked && entry.node != Node::Kept;
            let Some(fate) = fate(source, name, entry.node).filter(|_| is_ours) else {
                continue;
            };
            let step = Step::new(name, entry.node);
            match fate {
                Fate::Clear => self.clear.push(step),
                Fate::Remove => self.remove.push(step),
            }
        }
    }
}

impl Step {
    fn new(name: &str, node: Node) -> Self {
        Self {
            name: name.to_owned(),
            is_directory: node == Node::Directory,
        }
    }
}

/// Reason why an entry of the target is removed.
enum Fate {
    /// An entry of another kind takes its place, or the place of a directory above it.
    Clear,
    Remove,
}

/// Returns the fate of a name of the target; `None` if it stays.
fn fate(source: &Tree, name: &str, node: Node) -> Option<Fate> {
    let ends = name.match_indices('/').map(|(end, _)| end);
    for end in ends {
        match source.get(&name[..end]).map(|entry| entry.node) {
            Some(Node::Kept) => return None,
            Some(Node::File(_)) => return Some(Fate::Clear),
            Some(Node::Directory) | None => {}
        }
    }
    let of_kind = |entry: &Entry| (entry.node == Node::Directory) == (node == Node::Directory);
    match source.get(name) {
        None => Some(Fate::Remove),
        Some(entry) if entry.node == Node::Kept || of_kind(entry) => None,
        Some(_) => Some(Fate::Clear),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a tree: `a=1` is a file, `b/` a directory, `c!` cannot be copied, `@` marks entries behind a link.
    fn tree(text: &str) -> Tree {
        let entry = |word: &str| {
            let is_linked = word.starts_with('@');
            let word = word.trim_start_matches('@');
            let (name, node) = match word.split_once('=') {
                Some((name, number)) => (name, Node::File([number.parse().unwrap(); 32])),
                None if word.ends_with('!') => (word.trim_end_matches('!'), Node::Kept),
                None => (word.trim_end_matches('/'), Node::Directory),
            };
            (name.to_owned(), Entry { node, is_linked })
        };
        text.split(' ')
            .filter(|word| !word.is_empty())
            .map(entry)
            .collect()
    }

    /// Returns the entries cleared, copied and removed, as words.
    fn plan(source: &str, target: &str, delete: bool) -> [String; 3] {
        let plan = Plan::new(&tree(source), &tree(target), delete);
        [plan.clear, plan.copy, plan.remove].map(|steps| {
            let steps: Vec<_> = steps.iter().map(ToString::to_string).collect();
            steps.join(" ")
        })
    }

    #[test]
    fn only_what_differs_is_copied_and_nothing_is_removed_unasked() {
        let (source, target) = ("a=1 b=2 c=3", "a=1 b=9 x=7");
        assert_eq!(plan(source, target, false), ["", "b c", ""]);
        assert_eq!(plan(source, target, true), ["", "b c", "x"]);
        assert_eq!(Plan::new(&tree(source), &tree(target), false).unchanged, 1);
    }

    #[test]
    fn directories_are_made_first_and_removed_last() {
        let source = "d/ d/e/ d/f=1";
        assert_eq!(plan(source, "", true), ["", "d/ d/e/ d/f", ""]);
        assert_eq!(plan("", source, true), ["", "", "d/f d/e/ d/"]);
    }

    #[test]
    fn what_stands_in_the_way_of_another_kind_goes_first() {
        assert_eq!(plan("a=1", "a/ a/b=2", true), ["a/b a/", "a", ""]);
        assert_eq!(plan("a/ a/b=2", "a=1", true), ["a", "a/ a/b", ""]);
    }

    #[test]
    fn what_cannot_be_copied_removes_nothing_of_its_name() {
        assert_eq!(plan("a! d!", "a=1 d/ d/x=1 y=1", true), ["", "", "y"]);
    }

    #[test]
    fn nothing_is_removed_behind_a_link() {
        assert_eq!(plan("", "d/ @d/x=1", true), ["", "", "d/"]);
    }
}
