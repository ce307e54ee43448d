//! Bundles a module that a board imports with its own imports, and with the other imports of the program.

use alloc::{
    collections::{BTreeSet, VecDeque},
    string::String,
    vec::Vec,
};
use core::mem;

use super::{
    answer::{Along, Content, Found, Module},
    imports::{Import, imports},
};

/// Collects the modules to send along with a module: those that it imports, and those that the program imports if this is
/// one of them.
///
/// The owner of the folder looks up each path that is [`wanted`](Self::wanted), reports the result to
/// [`found`](Self::found), and repeats this until nothing more is wanted:
///
/// ```
/// use flylead_core::mount::{Bundler, Content, Found, Look, Module};
///
/// let source = |path: &str| match path {
///     "/main" => Some("import helper\n"),
///     "/helper" => Some("WORD = 'hi'\n"),
///     _ => None,
/// };
/// let look = |path: &str| {
///     let data = source(path).map(|text| text.as_bytes().to_vec());
///     let module = data.clone().map_or(Module::Missing, |data| Module::File {
///         ending: ".py",
///         found: Found::default(),
///         data: Some(data),
///     });
///     Look { entry: None, module: Some(module), source: data }
/// };
///
/// let mut bundler = Bundler::default();
/// bundler.begin("/main", "/", 16_384, look("/main"));
/// while let Some((path, _limit)) = bundler.wanted() {
///     bundler.found(Some(look(&path)));
/// }
/// let Content::Found { along, .. } = bundler.finish() else { unreachable!() };
/// assert_eq!(along[0].path, "/helper");
/// ```
#[derive(Debug, Default)]
pub struct Bundler {
    /// Paths already given to the board, which it keeps while its program runs.
    given: BTreeSet<String>,
    /// Text of the program, as far as it is known.
    program: String,
    /// True if paths of the program come along.
    is_for_program: bool,
    /// True until the first answer to a new program.
    is_new_program: bool,
    /// Folder to search for modules.
    root: String,
    /// Number of bytes left.
    room: usize,
    /// Number of remaining look-ups.
    looks: usize,
    waiting: VecDeque<Import>,
    wanted: Option<Import>,
    first: Look,
    along: Vec<Along>,
}

/// Result of looking up an imported path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// Entry of exactly this name.
    pub entry: Option<Found>,
    /// Module that an `import` reads; `None` for a file.
    pub module: Option<Module>,
    /// Text of that module, if known.
    pub source: Option<Vec<u8>>,
}

impl Bundler {
    /// Begins with the path that a board requested by [`Question::Stat`](super::Question::Stat), and the look-up's
    /// result.
    pub fn begin(&mut self, path: &str, root: &str, limit: u32, first: Look) {
        self.waiting.clear();
        self.wanted = None;
        self.along.clear();
        self.looks = MOST_LOOKS;
        self.root = root.into();
        // A board that accepts no bundled modules names no folder.
        let takes_along = !root.is_empty() && limit >= LEAST_BLOCK;
        self.is_for_program = false;
        if takes_along
            && let Some(length) = first.module.as_ref().and_then(whole)
            && first.source.is_some()
        {
            self.given.insert(path.into());
            let left = (limit as usize).saturating_sub(length);
            self.room = left.min(limit as usize / 2);
            self.follow(path, &first);
            self.follow_program(path);
        }
        self.first = first;
    }

    /// Returns the next path to look up, and the limit of its module in bytes; `None` if no more are wanted.
    pub fn wanted(&mut self) -> Option<(String, u32)> {
        loop {
            let import = self.waiting.pop_front()?;
            if self.given.contains(&import.path) {
                continue;
            }
            let left = self.room_behind(&import.path);
            if left == 0 || self.looks == 0 || self.along.len() >= MOST_ALONG {
                self.waiting.clear();
                return None;
            }
            self.looks -= 1;
            let wanted = import.path.clone();
            self.wanted = Some(import);
            return Some((wanted, u32::try_from(left).unwrap_or(u32::MAX)));
        }
    }

    /// Takes the result for the last wanted path; `None` if it cannot be read: the board gets the error when it
    /// requests the path.
    pub fn found(&mut self, look: Option<Look>) {
        let (Some(Import { path, is_asked }), Some(look)) = (self.wanted.take(), look) else {
            return;
        };
        let length = match &look.module {
            Some(Module::Missing) if is_asked => 0,
            Some(module) => match whole(module) {
                Some(length) => length,
                None => return,
            },
            None => return,
        };
        let left = self.room_behind(&path);
        if length > left {
            return;
        }
        self.room = left - length;
        if look.entry.is_some() || look.module != Some(Module::Missing) {
            self.given.insert(path.clone());
        }
        self.follow(&path, &look);
        if let Look {
            entry,
            module: Some(module),
            ..
        } = look
        {
            self.along.push(Along {
                path,
                entry,
                module,
            });
        }
    }

    /// Returns the answer to the original question.
    pub fn finish(&mut self) -> Content {
        let Look { entry, module, .. } = mem::take(&mut self.first);
        Content::Found {
            entry,
            module,
            along: mem::take(&mut self.along),
            is_for_program: self.is_for_program,
            is_new_program: mem::take(&mut self.is_new_program),
        }
    }

    /// Forgets the modules given to the board, since this program may begin there ([`Typed`](super::Typed)).
    pub fn forget(&mut self, program: String) {
        self.given.clear();
        self.program = program;
        self.is_new_program = true;
    }

    /// Adds a module's imports to the pending paths.
    fn follow(&mut self, path: &str, look: &Look) {
        if let Some(source) = &look.source {
            let source = String::from_utf8_lossy(source);
            let found = imports(path, look.entry.is_some(), &self.root, &source);
            self.waiting.extend(found);
        }
    }

    /// Adds the program's imports to the pending paths, if the program itself requests this one.
    fn follow_program(&mut self, path: &str) {
        let found = imports("", true, &self.root, &self.program);
        self.is_for_program = found
            .iter()
            .any(|import| import.is_asked && import.path == path);
        if self.is_for_program {
            self.waiting.extend(found);
        }
    }

    fn room_behind(&self, path: &str) -> usize {
        self.room.saturating_sub(path.len() + HEADER)
    }
}

/// Returns the length of a module that is present in full.
fn whole(module: &Module) -> Option<usize> {
    match module {
        Module::File { data, .. } => data.as_ref().map(Vec::len),
        Module::Missing => None,
    }
}

/// Block size in bytes below which a board lacks the memory for modules that it has not requested.
const LEAST_BLOCK: u32 = 4096;
/// Size in bytes of the data beside the content: limit of a path and its module's suffix, sizes and times.
const HEADER: usize = 40;
/// Limit of paths sent along with one answer.
const MOST_ALONG: usize = 128;
/// Limit of look-ups: most names that are imported from a module are not modules. A folder may be slow, as in a browser
/// or on a network, and the board waits for a second.
const MOST_LOOKS: usize = 512;

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::*;

    /// Returns the paths bundled with `/main`, and the number of look-ups.
    fn bundle(
        bundler: &mut Bundler,
        root: &str,
        limit: u32,
        files: &[(&str, &str)],
    ) -> Vec<String> {
        bundler.begin("/main", root, limit, look(files, "/main", limit));
        while let Some((path, limit)) = bundler.wanted() {
            bundler.found(Some(look(files, &path, limit)));
        }
        let Content::Found { along, .. } = bundler.finish() else {
            unreachable!("it answers what an import finds");
        };
        along.into_iter().map(|along| along.path).collect()
    }

    fn look(files: &[(&str, &str)], path: &str, limit: u32) -> Look {
        let text = |ending| {
            let path = format!("{path}{ending}");
            files.iter().find(|(name, _)| *name == path)
        };
        let is_package = text("/__init__.py").is_some();
        let ending = if is_package { "/__init__.py" } else { ".py" };
        let Some((_, text)) = text(ending) else {
            let module = Some(Module::Missing);
            return Look {
                module,
                ..Look::default()
            };
        };
        let source = (text.len() <= limit as usize).then(|| text.as_bytes().to_vec());
        Look {
            entry: is_package.then(Found::default),
            module: Some(Module::File {
                ending,
                found: Found::default(),
                data: source.clone(),
            }),
            source,
        }
    }

    #[test]
    fn what_modules_import_comes_along_once_until_it_is_forgotten() {
        let files = [
            ("/main.py", "import pkg.a, missing, main\nfrom pkg import b"),
            ("/pkg/__init__.py", "from .a import X"),
            ("/pkg/a.py", "X = 1"),
            ("/pkg/b.py", "import pkg.a"),
        ];
        let mut bundler = Bundler::default();
        let expected = ["/pkg", "/pkg/a", "/missing", "/pkg/b"];
        assert_eq!(bundle(&mut bundler, "/", 16_384, &files), expected);
        assert_eq!(bundle(&mut bundler, "/", 16_384, &files), ["/missing"]);
        bundler.forget(String::new());
        assert_eq!(bundle(&mut bundler, "/", 16_384, &files), expected);
    }

    #[test]
    fn the_programs_other_imports_come_along_with_its_first() {
        let files = [
            ("/main.py", "import a"),
            ("/a.py", ""),
            ("/b.py", ""),
            ("/c.py", ""),
        ];
        let mut bundler = Bundler::default();
        for (program, expected) in [
            (
                "import main, b, gone\nfrom c import d\nx = b.y()\nimport e",
                &["/a", "/b", "/gone", "/c"][..],
            ),
            ("import main as m; import b", &["/a", "/b"]),
            ("import b\nm = __import__('main')", &["/a"]),
            ("import b\nimport app", &["/a"]),
        ] {
            bundler.forget(program.into());
            assert_eq!(
                bundle(&mut bundler, "/", 16_384, &files),
                expected,
                "{program}"
            );
            assert_eq!(bundler.is_for_program, expected.len() > 1, "{program}");
        }
    }

    #[test]
    fn nothing_comes_along_where_the_board_takes_nothing() {
        let files = [("/main.py", "import a"), ("/a.py", "")];
        let mut bundler = Bundler::default();
        assert!(bundle(&mut bundler, "", 16_384, &files).is_empty());
        assert!(bundle(&mut bundler, "/", LEAST_BLOCK - 1, &files).is_empty());
        assert_eq!(bundle(&mut bundler, "/", LEAST_BLOCK, &files), ["/a"]);
    }

    #[test]
    fn what_comes_along_has_half_of_the_room() {
        let long = "#".repeat(1500);
        let files = [
            ("/main.py", "import a, b, c"),
            ("/a.py", &long),
            ("/b.py", &long),
            ("/c.py", "C = 1"),
        ];
        let along = bundle(&mut Bundler::default(), "/", LEAST_BLOCK, &files);
        assert_eq!(along, ["/a", "/c"]);
    }

    #[test]
    fn no_more_is_looked_for_than_a_board_waits_for() {
        let names = (0..60)
            .map(|name| format!("name{name}"))
            .collect::<Vec<_>>();
        let source = |number| format!("from .m{number} import {}\n", names.join(","));
        let texts = (0..19).map(|number| (format!("/m{number}.py"), source(number + 1)));
        let mut all = texts.collect::<Vec<_>>();
        all.push(("/main.py".into(), source(0)));
        let files = all
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        let files = files.collect::<Vec<_>>();
        let (mut bundler, limit) = (Bundler::default(), 32_000);
        bundler.begin("/main", "/", limit, look(&files, "/main", limit));
        let mut looks = 0;
        while let Some((path, limit)) = bundler.wanted() {
            looks += 1;
            bundler.found(Some(look(&files, &path, limit)));
        }
        assert_eq!(looks, MOST_LOOKS);
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_board() {
        let mut bundler = Bundler::default();
        let files = [("/main.py", "import a, b"), ("/b.py", "")];
        bundler.begin("/main", "/", LEAST_BLOCK, look(&files, "/main", 100));
        let mut wanted = vec![];
        while let Some((path, limit)) = bundler.wanted() {
            bundler.found((path != "/a").then(|| look(&files, &path, limit)));
            wanted.push(path);
        }
        assert_eq!(wanted, ["/a", "/b"]);
        let Content::Found { along, .. } = bundler.finish() else {
            unreachable!("it answers what an import finds");
        };
        assert_eq!(along.len(), 1);
    }
}
