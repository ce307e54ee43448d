//! Finds modules for an `import` in the folder, and bundles them with their own imports.

use std::io::{self, Read as _};

use cap_std::fs::OpenOptions;
use flylead_core::mount::{Content, Look, Module, module_endings};

use super::{Folder, below, read, sized};
use crate::run::mount::compiled::LONGEST_SOURCE;

impl Folder {
    /// Describes the entry at a path; for a module, includes its content and its imports, as far as they fit.
    pub(super) fn stat(&mut self, path: &str, limit: u32, root: &str) -> io::Result<Content> {
        let first = self.look(path, limit)?;
        self.bundler.begin(path, root, limit, first);
        while let Some((path, limit)) = self.bundler.wanted() {
            let look = self.look(&path, limit).ok();
            self.bundler.found(look);
        }
        Ok(self.bundler.finish())
    }

    fn look(&mut self, path: &str, limit: u32) -> io::Result<Look> {
        let entry = match self.compiled.get(path) {
            Some(code) => Some(sized(code)),
            None => self.found(below(path))?,
        };
        let (mut module, mut source) = (None, None);
        if entry.is_none_or(|entry| entry.is_directory) {
            let endings = module_endings(path, entry.is_some());
            let (found, text) = self.module(path, endings, limit)?;
            (module, source) = (Some(found), text);
        }
        Ok(Look {
            entry,
            module,
            source,
        })
    }

    /// Finds the module for this path: the first file with one of these suffixes, and its source, if it has one.
    fn module(
        &mut self,
        path: &str,
        endings: &[&'static str],
        limit: u32,
    ) -> io::Result<(Module, Option<Vec<u8>>)> {
        for &ending in endings {
            let path = format!("{path}{ending}");
            let Some(found) = self.found(below(&path))? else {
                continue;
            };
            if found.is_directory {
                continue;
            }
            if self.compiled.takes(&path, found.size) {
                let source = self.source(&path)?;
                if let Some(code) = self.compiled.code_of(&path, &source) {
                    let found = sized(code);
                    let data = (code.len() <= limit as usize).then(|| code.to_vec());
                    let ending = endings[1];
                    return Ok((
                        Module::File {
                            ending,
                            found,
                            data,
                        },
                        Some(source),
                    ));
                }
            }
            let data = match found.size <= limit {
                true => {
                    let mut file = self.file(&path, OpenOptions::new().read(true))?;
                    Some(read(&mut file, 0, limit)?)
                }
                false => None,
            };
            let source = data.clone().filter(|_| ending.ends_with(".py"));
            return Ok((
                Module::File {
                    ending,
                    found,
                    data,
                },
                source,
            ));
        }
        Ok((Module::Missing, None))
    }

    /// Reads a whole source that is to be compiled.
    fn source(&self, path: &str) -> io::Result<Vec<u8>> {
        let file = self.file(path, OpenOptions::new().read(true))?;
        let mut source = Vec::new();
        file.take(LONGEST_SOURCE.into()).read_to_end(&mut source)?;
        Ok(source)
    }
}
