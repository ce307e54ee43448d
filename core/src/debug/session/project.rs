//! The program and its imported modules.

use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::debug::source::{Function, FunctionId, Module, SyntaxError};

/// A module by its number; 0 is the program itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleId(pub(crate) usize);

impl ModuleId {
    /// The program itself.
    pub const MAIN: Self = Self(0);
}

/// A program, and its modules available on the host.
#[derive(Debug)]
pub struct Project {
    files: Vec<File>,
    looked_for: BTreeSet<String>,
}

/// A file of the project.
#[derive(Debug)]
pub struct File {
    /// Name that the caller uses: a path on the host.
    pub path: String,
    /// Path among the modules, such as `lib/sensor.py`; empty for the program.
    pub name: String,
    /// Content of the module.
    pub module: Module,
}

impl Project {
    /// Creates a project that consists of a program alone.
    ///
    /// # Errors
    /// [`SyntaxError`], if its text is not valid Python.
    pub fn new(path: impl Into<String>, text: &str) -> Result<Self, SyntaxError> {
        let main = File {
            path: path.into(),
            name: String::new(),
            module: Module::parse(text)?,
        };
        Ok(Self {
            files: Vec::from([main]),
            looked_for: BTreeSet::new(),
        })
    }

    /// Returns a project without files, in place of one that is moved.
    pub(super) const fn empty() -> Self {
        Self {
            files: Vec::new(),
            looked_for: BTreeSet::new(),
        }
    }

    /// Returns files that may be imported and were not returned before, relative to the module folders. The caller
    /// [adds](Self::add) those that exist, and calls again until none remain.
    pub fn wanted(&mut self) -> Vec<String> {
        let names: BTreeSet<_> = self.files.iter().flat_map(File::imports).collect();
        let files = names.iter().flat_map(|name| candidates(name));
        let new: BTreeSet<_> = files
            .filter(|file| !self.looked_for.contains(file))
            .collect();
        self.looked_for.extend(new.iter().cloned());
        new.into_iter().collect()
    }

    /// Adds a module: `name` is one of those [wanted](Self::wanted), `path` is the caller's name for it.
    ///
    /// # Errors
    /// [`SyntaxError`], if its text is not valid Python; the board then uses its own module of that name.
    pub fn add(
        &mut self,
        name: &str,
        path: impl Into<String>,
        text: &str,
    ) -> Result<ModuleId, SyntaxError> {
        let file = File {
            path: path.into(),
            name: name.to_string(),
            module: Module::parse(text)?,
        };
        self.files.push(file);
        Ok(ModuleId(self.files.len() - 1))
    }

    /// Returns the files by number.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// Returns the numbers of its files, the program's first.
    pub fn ids(&self) -> impl Iterator<Item = ModuleId> + use<> {
        (0..self.files.len()).map(ModuleId)
    }

    /// Returns the file with this number.
    #[must_use]
    pub fn file(&self, id: ModuleId) -> &File {
        &self.files[id.0]
    }

    /// Returns the file to which the caller gave this path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<ModuleId> {
        self.files
            .iter()
            .position(|file| file.path == path)
            .map(ModuleId)
    }

    /// Returns the first function of this name, plain or qualified.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(ModuleId, &Function)> {
        let (id, function) = self.function_id(name)?;
        Some((id, self.file(id).module.function(function)))
    }

    /// Returns the functions of this name, plain or qualified, and the constructors of such classes.
    pub(in crate::debug) fn functions_named(&self, name: &str) -> Vec<(ModuleId, FunctionId)> {
        let last = name.rsplit('.').next().unwrap_or(name);
        let constructor = format!("{last}.__init__");
        let is_it = |function: &Function| {
            let qualified = function.qualified_name.as_str();
            let is_constructor = qualified == constructor
                || qualified
                    .strip_suffix(&constructor)
                    .is_some_and(|around| around.ends_with('.'));
            function.name == last || is_constructor
        };
        let of_file = |id: ModuleId| {
            let module = &self.file(id).module;
            let functions = module.function_ids().skip(1);
            functions
                .filter(|&one| is_it(module.function(one)))
                .map(|one| (id, one))
                .collect::<Vec<_>>()
        };
        self.ids().flat_map(of_file).collect()
    }

    /// Returns the first line at which the program can stop in such a function; otherwise the function's own line: the
    /// [status](super::BreakpointStatus) of a breakpoint there gives the reason.
    #[must_use]
    pub fn function_line(&self, name: &str) -> Option<(ModuleId, u32)> {
        let (id, function) = self.function_id(name)?;
        let module = &self.file(id).module;
        let line = module.lines_of(function).next();
        Some((id, line.unwrap_or(module.function(function).line)))
    }

    fn function_id(&self, name: &str) -> Option<(ModuleId, FunctionId)> {
        let of_file = |id: ModuleId| {
            let module = &self.file(id).module;
            // The first function is the module's own body.
            let mut functions = module.function_ids().skip(1);
            let is_it =
                |function: &Function| function.name == name || function.qualified_name == name;
            let function = functions.find(|&id| is_it(module.function(id)))?;
            Some((id, function))
        };
        self.ids().find_map(of_file)
    }

    pub(super) fn modules(&self) -> Vec<&Module> {
        self.files.iter().map(|file| &file.module).collect()
    }

    /// Returns true if any file mentions a function that reads typed input.
    pub(super) fn reads(&self) -> bool {
        let readers = ["input", "stdin", "uart", "readline", "REPL"];
        let files = self.files.iter();
        files
            .flat_map(|file| readers.map(|name| file.module.names.contains(name)))
            .any(|is_mentioned| is_mentioned)
    }

    /// Returns true if any file contains one of these words, even in a comment.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        let texts = self.files.iter().map(|file| file.module.text());
        texts
            .into_iter()
            .any(|text| words.iter().any(|word| text.contains(word)))
    }

    /// Returns true if any file imports a module that begins with one of these names.
    pub(super) fn imports(&self, names: &[&str]) -> bool {
        let imports = self.files.iter().flat_map(|file| file.module.imports());
        let mut first = imports.map(|name| name.split('.').next().unwrap_or_default());
        first.any(|name| names.contains(&name))
    }
}

impl File {
    /// Returns the full names of the file's imports.
    fn imports(&self) -> impl Iterator<Item = String> + '_ {
        self.module.imports().iter().map(|name| self.absolute(name))
    }

    /// Returns an absolute name: `.a` within a package is `package.a`.
    fn absolute(&self, name: &str) -> String {
        let relative = name.trim_start_matches('.');
        let dots = name.len() - relative.len();
        if dots == 0 {
            return relative.to_string();
        }
        let mut around: Vec<_> = self.name.split('/').collect();
        around.truncate(around.len().saturating_sub(dots));
        around.push(relative);
        around.retain(|part| !part.is_empty());
        around.join(".")
    }
}

/// Returns the files that may contain a module, and the packages around it.
fn candidates(name: &str) -> Vec<String> {
    let parts: Vec<_> = name.split('.').filter(|part| !part.is_empty()).collect();
    let paths = (1..=parts.len()).map(|count| parts[..count].join("/"));
    paths
        .flat_map(|path| [format!("{path}.py"), format!("{path}/__init__.py")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_imported_is_looked_for_once() {
        let mut project = Project::new("main.py", "import a.b\nfrom c import d").unwrap();
        let wanted = project.wanted();
        for file in ["a.py", "a/__init__.py", "a/b.py", "c.py", "c/d.py"] {
            assert!(wanted.iter().any(|one| one == file), "{file} of {wanted:?}");
        }
        assert!(project.wanted().is_empty());
    }

    #[test]
    fn imports_within_packages_are_relative() {
        let mut project = Project::new("main.py", "import p").unwrap();
        project.wanted();
        project
            .add(
                "p/__init__.py",
                "p/__init__.py",
                "from . import q\nfrom .r import s",
            )
            .unwrap();
        let wanted = project.wanted();
        assert!(wanted.iter().any(|one| one == "p/q.py"), "{wanted:?}");
        assert!(wanted.iter().any(|one| one == "p/r.py"), "{wanted:?}");
    }
}
