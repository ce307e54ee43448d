//! Finds the imports of a module by a quick scan of its source.

use alloc::{format, string::String, vec::Vec};

/// Import of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// Path that the board requests: in the folder, without a suffix.
    pub(super) path: String,
    /// True if the board requests it even if nothing exists: the first name of an `import`. Others are only looked up
    /// after that, or if a package lacks the name.
    pub(super) is_asked: bool,
}

/// Returns the imports of the source at `path`, which has no suffix. Other modules are looked up in
/// `root`, which ends with a slash.
///
/// Only unconditional imports before the first call count: later steps of a program take time, and may wait for a
/// person who changes a file. Functions are skipped, since their imports come later.
///
/// The scan considers lines, not grammar: a wrong guess costs a few bytes, and a missed import is requested by the
/// board.
pub(super) fn imports(path: &str, is_package: bool, root: &str, source: &str) -> Vec<Import> {
    let mut found = Found {
        package: match is_package {
            true => path,
            false => path.rsplit_once('/').map_or("", |(folder, _)| folder),
        },
        root,
        imports: Vec::new(),
    };
    let (mut passed_over, mut is_text) = (None, false);
    for line in source.lines() {
        let was_text = is_text;
        is_text ^= line.matches("\"\"\"").count() % 2 == 1;
        is_text ^= line.matches("'''").count() % 2 == 1;
        let code = line.trim_start();
        if was_text || code.is_empty() || code.starts_with('#') {
            continue;
        }
        let depth = line.len() - code.len();
        if passed_over.is_some_and(|above| depth > above) {
            continue;
        }
        passed_over = begins(code, &["def ", "async def ", "except"]).then_some(depth);
        let code = code.split('#').next().unwrap_or_default();
        let code = if passed_over.is_some() { "" } else { code };
        for statement in code.split(';').map(str::trim) {
            if decides(statement) || found.imports.len() >= MOST {
                return found.imports;
            }
            found.read(statement);
        }
    }
    found.imports
}

struct Found<'a> {
    /// Folder to which leading dots refer.
    package: &'a str,
    root: &'a str,
    imports: Vec<Import>,
}

impl Found<'_> {
    /// Reads a statement, or one after a colon, as in `try: import a`.
    fn read(&mut self, statement: &str) {
        if let Some(names) = statement.strip_prefix("import ") {
            for name in names.split(',') {
                self.absolute(first_word(name));
            }
        } else if let Some((module, names)) = from_import(statement) {
            self.from(module, names);
        } else if let Some((_, behind)) = statement.split_once(':')
            && (behind.trim_start().starts_with("import ") || from_import(behind.trim()).is_some())
        {
            self.read(behind.trim());
        }
    }

    fn from(&mut self, module: &str, names: &str) {
        let below = module.trim_start_matches('.');
        let dots = module.len() - below.len();
        let folder = match dots {
            0 => self.absolute(below),
            dots => self.relative(dots, below),
        };
        let Some(folder) = folder else { return };
        let names = names.trim_matches(|char| matches!(char, '(' | ')' | ' ' | '\\'));
        for name in names.split(',').map(first_word) {
            if is_name(name) {
                self.add(format!("{folder}/{name}"), false);
            }
        }
    }

    /// Adds `a`, `a/b` and so on; returns the path of the last.
    fn absolute(&mut self, module: &str) -> Option<String> {
        let root = self.root.trim_end_matches('/');
        self.names(root.into(), module, true)
    }

    fn relative(&mut self, dots: usize, below: &str) -> Option<String> {
        let mut folder = self.package;
        for _ in 1..dots {
            folder = folder.rsplit_once('/')?.0;
        }
        match below {
            "" => Some(folder.into()),
            below => self.names(folder.into(), below, false),
        }
    }

    fn names(&mut self, folder: String, module: &str, is_absolute: bool) -> Option<String> {
        if !module.split('.').all(is_name) {
            return None;
        }
        let mut path = folder;
        for (number, name) in module.split('.').enumerate() {
            path = format!("{path}/{name}");
            self.add(path.clone(), is_absolute && number == 0);
        }
        Some(path)
    }

    fn add(&mut self, path: String, is_asked: bool) {
        if path.len() <= LONGEST {
            self.imports.push(Import { path, is_asked });
        }
    }
}

/// Returns true if a statement may call a function or may not lead to the next one. The constants
/// of MicroPython's own compiler are not calls.
fn decides(statement: &str) -> bool {
    let parts = [
        "if ", "if(", "else", "elif", "for ", "while", "with ", "match ", "@",
    ];
    let is_plain = begins(statement, &["from ", "class ", "\"\"\"", "'''"]);
    let parentheses = statement.matches('(').count();
    begins(statement, &parts) || (!is_plain && parentheses > statement.matches("const(").count())
}

fn begins(code: &str, words: &[&str]) -> bool {
    words.iter().any(|word| code.starts_with(word))
}

fn from_import(statement: &str) -> Option<(&str, &str)> {
    let (module, names) = statement.strip_prefix("from ")?.split_once(" import")?;
    Some((module.trim(), names))
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_')
}

/// Limit of names from one module.
const MOST: usize = 64;
/// Limit in bytes: the largest length of a path.
const LONGEST: usize = 255;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, is_package: bool, source: &str) -> Vec<(String, bool)> {
        let found = imports(path, is_package, "/", source).into_iter();
        found.map(|import| (import.path, import.is_asked)).collect()
    }

    #[test]
    fn what_is_imported_at_once_is_found() {
        for (source, expected) in [
            ("import a", &[("/a", true)][..]),
            (
                "import a.b as c, d # e",
                &[("/a", true), ("/a/b", false), ("/d", true)],
            ),
            (
                "from a import b, c as d",
                &[("/a", true), ("/a/b", false), ("/a/c", false)],
            ),
            ("from . import (b,", &[("/pkg/b", false)]),
            (
                "from .b import C",
                &[("/pkg/b", false), ("/pkg/b/C", false)],
            ),
            ("from ..b import *", &[("/b", false)]),
            (
                "try:\n    import a\nexcept ImportError:\n    import b\nimport c",
                &[("/a", true), ("/c", true)],
            ),
            (
                "try:from a import b\nexcept:pass",
                &[("/a", true), ("/a/b", false)],
            ),
            ("x = 1; import a", &[("/a", true)]),
            (
                "def f():\n    import a\n\n    import b\nimport c",
                &[("/c", true)],
            ),
            ("\"\"\"\nimport a\n\"\"\"\nimport b", &[("/b", true)]),
            ("class C(D):\n    import a", &[("/a", true)]),
            (
                "A = const(1)\nimport a\nprint(1)\nimport b",
                &[("/a", true)],
            ),
            ("import a; wait(); import b", &[("/a", true)]),
            ("import a\nif x:\n    import b", &[("/a", true)]),
            (
                "import\nfrom import x\nimport ../x, a-b\nimportant = {1: 2}",
                &[],
            ),
        ] {
            let expected: Vec<_> = expected
                .iter()
                .map(|(path, is)| ((*path).into(), *is))
                .collect();
            assert_eq!(found("/pkg/mod", false, source), expected, "{source}");
        }
        assert_eq!(
            found("/pkg", true, "from . import b"),
            [("/pkg/b".into(), false)]
        );
        let other = imports("/x/main", false, "/x/", "import a");
        assert_eq!(other[0].path, "/x/a");
        assert!(found("/a", false, "from ... import b").is_empty());
    }
}
