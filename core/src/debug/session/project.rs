//! The program and the modules that it imports.

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

/// A program, and those of its modules that the host has.
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
    /// A program alone.
    ///
    /// # Errors
    /// [`SyntaxError`], where its text is not valid Python.
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

    /// Files that may be imported and that nobody has looked for yet, relative to where modules are. Who has them
    /// [adds](Self::add) them, and asks again until there are none.
    pub fn wanted(&mut self) -> Vec<String> {
        let names: BTreeSet<_> = self.files.iter().flat_map(File::imports).collect();
        let files = names.iter().flat_map(|name| candidates(name));
        let new: BTreeSet<_> = files
            .filter(|file| !self.looked_for.contains(file))
            .collect();
        self.looked_for.extend(new.iter().cloned());
        new.into_iter().collect()
    }

    /// Adds a module: `name` is one of those [wanted](Self::wanted), `path` what the caller calls it.
    ///
    /// # Errors
    /// [`SyntaxError`], where its text is not valid Python; the board then finds what it has by that name.
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

    /// Files by their numbers.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The numbers of its files, the program's first.
    pub fn ids(&self) -> impl Iterator<Item = ModuleId> + use<> {
        (0..self.files.len()).map(ModuleId)
    }

    /// One of its files.
    #[must_use]
    pub fn file(&self, id: ModuleId) -> &File {
        &self.files[id.0]
    }

    /// The file that the caller calls so.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<ModuleId> {
        self.files
            .iter()
            .position(|file| file.path == path)
            .map(ModuleId)
    }

    /// The first function of this name, alone or with those around it.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(ModuleId, &Function)> {
        let (id, function) = self.function_id(name)?;
        Some((id, self.file(id).module.function(function)))
    }

    /// The first line of such a function at which it can stop, or its own where it cannot: the
    /// [status](super::BreakpointStatus) of a breakpoint there says why.
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
            // The first is the module's own body.
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

    /// True if any file mentions a function that reads typed input.
    pub(super) fn reads(&self) -> bool {
        let readers = ["input", "stdin", "uart", "readline", "REPL"];
        let files = self.files.iter();
        files
            .flat_map(|file| readers.map(|name| file.module.names.contains(name)))
            .any(|is_mentioned| is_mentioned)
    }

    /// True if any of these words is in any file, even in a comment.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        let texts = self.files.iter().map(|file| file.module.text());
        texts
            .into_iter()
            .any(|text| words.iter().any(|word| text.contains(word)))
    }

    /// True if any file imports a module that begins with one of these names.
    pub(super) fn imports(&self, names: &[&str]) -> bool {
        let imports = self.files.iter().flat_map(|file| file.module.imports());
        let mut first = imports.map(|name| name.split('.').next().unwrap_or_default());
        first.any(|name| names.contains(&name))
    }
}

impl File {
    /// The full names of what it imports.
    fn imports(&self) -> impl Iterator<Item = String> + '_ {
        self.module.imports().iter().map(|name| self.absolute(name))
    }

    /// `.a` within a package is `package.a`.
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

/// The files in which a module may be, and the packages around it.
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
