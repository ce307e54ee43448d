//! Finds the local modules that a test file imports.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use ruff_python_ast::{
    Stmt,
    visitor::{Visitor, walk_stmt},
};

use super::collect::parse;

/// Returns the files that a test file imports, directly and indirectly, by their paths on the board, relative to its
/// current directory. Each module is searched for below the `roots`, in their order; a module that is in none of them
/// is the board's own.
#[must_use]
pub fn modules(file: &Path, source: &str, roots: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut search = Search {
        roots,
        found: BTreeMap::new(),
    };
    search.imports_of(source, &[]);
    search.found.retain(|_, found| found != file);
    search.found
}

struct Search<'a> {
    roots: &'a [PathBuf],
    found: BTreeMap<String, PathBuf>,
}

impl Search<'_> {
    /// Follows the imports of a module that is in a package of this name.
    fn imports_of(&mut self, source: &str, package: &[String]) {
        // Invalid Python is reported when it is imported.
        let mut imports = Imports {
            package,
            names: Vec::new(),
        };
        imports.visit_body(&parse(source).unwrap_or_default());
        for name in imports.names {
            self.module(&name);
        }
    }

    /// Adds a module and its packages: for `a.b` both `a` and `a.b`.
    fn module(&mut self, name: &[String]) {
        for length in 1..=name.len() {
            let name = &name[..length];
            let found = self.roots.iter().find_map(|root| file_of(root, name));
            let Some((on_board, path)) = found else {
                return;
            };
            if self.found.contains_key(&on_board) {
                continue;
            }
            let is_package = on_board.ends_with("/__init__.py");
            let package = if is_package { length } else { length - 1 };
            let source = fs::read_to_string(&path).unwrap_or_default();
            self.found.insert(on_board, path);
            self.imports_of(&source, &name[..package]);
        }
    }
}

/// Returns `a/b.py` or `a/b/__init__.py` below a folder, on the board and locally.
fn file_of(root: &Path, name: &[String]) -> Option<(String, PathBuf)> {
    let base = name.join("/");
    let files = [format!("{base}/__init__.py"), format!("{base}.py")];
    let mut files = files.into_iter().map(|file| (root.join(&file), file));
    let (path, on_board) = files.find(|(path, _)| path.is_file())?;
    Some((on_board, path))
}

/// Names of all modules that a source may import, wherever in it.
struct Imports<'a> {
    package: &'a [String],
    names: Vec<Vec<String>>,
}

impl Imports<'_> {
    fn add(&mut self, before: &[String], name: &str) {
        let parts = name.split('.').filter(|part| !part.is_empty());
        let name = before.iter().cloned().chain(parts.map(str::to_owned));
        self.names.push(name.collect());
    }
}

impl<'ast> Visitor<'ast> for Imports<'_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Import(import) => {
                for module in &import.names {
                    self.add(&[], &module.name);
                }
            }
            Stmt::ImportFrom(import) => {
                let level = import.level as usize;
                let above = match level {
                    0 => &[],
                    level => &self.package[..self.package.len().saturating_sub(level - 1)],
                };
                let module = import.module.as_deref().unwrap_or_default();
                self.add(above, module);
                // A name imported from a package may be one of its modules.
                for name in &import.names {
                    self.add(above, &format!("{module}.{}", name.name));
                }
            }
            _ => walk_stmt(self, statement),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, source) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, source).unwrap();
        }
        let file = folder.path().join(files[0].0);
        let modules = modules(&file, files[0].1, &[folder.path().to_owned()]);
        modules.into_keys().collect()
    }

    #[test]
    fn modules_and_what_they_import_are_found_once() {
        let files = [
            (
                "test_a.py",
                "import time\ndef test(): from pins import high\n",
            ),
            ("pins.py", "import board.leds\nimport pins\n"),
            ("board/__init__.py", "from . import buttons\n"),
            ("board/leds.py", "from .colors import red\nimport test_a\n"),
            ("board/colors.py", ""),
            ("board/buttons.py", "from ..nowhere import x"),
            ("board/unused.py", ""),
        ];
        let expected = [
            "board/__init__.py",
            "board/buttons.py",
            "board/colors.py",
            "board/leds.py",
            "pins.py",
        ];
        assert_eq!(found(&files), expected);
    }

    #[test]
    fn a_module_that_is_no_python_is_sent_all_the_same() {
        let files = [("test_a.py", "import broken"), ("broken.py", "def (")];
        assert_eq!(found(&files), ["broken.py"]);
    }
}
