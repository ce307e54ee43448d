//! What an `import` finds in the folder, and what comes along with it.

use std::{
    collections::VecDeque,
    io::{self, Read as _},
};

use cap_std::fs::OpenOptions;
use flylead_core::mount::{Along, Content, Found, Import, Module, imports, module_endings};

use super::{Folder, below, read, sized};
use crate::mount::compiled::LONGEST_SOURCE;

impl Folder {
    /// What is at a path; of a module its content, and what it imports, as far as there is room.
    pub(super) fn stat(&mut self, path: &str, limit: u32, root: &str) -> io::Result<Content> {
        let Look {
            entry,
            module,
            source,
        } = self.look(path, limit)?;
        let mut along = Vec::new();
        // A board that takes nothing along names no folder.
        let takes_along = !root.is_empty() && limit >= LEAST_BLOCK;
        if takes_along
            && let Some(Module::File {
                data: Some(data), ..
            }) = &module
            && let Some(source) = source
        {
            self.sent.insert(path.to_owned());
            let room = (limit as usize).saturating_sub(data.len());
            let first = imports(
                path,
                entry.is_some(),
                root,
                &String::from_utf8_lossy(&source),
            );
            along = self.along(first, root, room.min(limit as usize / 2));
        }
        Ok(Content::Found {
            entry,
            module,
            along,
        })
    }

    /// What these imports would find, and those of what they find, as far as there is room.
    fn along(&mut self, first: Vec<Import>, root: &str, room: usize) -> Vec<Along> {
        let (mut along, mut room) = (Vec::new(), room);
        let mut waiting = VecDeque::from(first);
        while let Some(Import { path, is_asked }) = waiting.pop_front() {
            if along.len() >= MOST_ALONG {
                break;
            }
            if self.sent.contains(&path) {
                continue;
            }
            let left = room.saturating_sub(path.len() + ALONG_HEADER);
            // What cannot be read is told when the board asks for it.
            let limit = u32::try_from(left).unwrap_or(u32::MAX);
            let Ok(look) = self.look(&path, limit) else {
                continue;
            };
            let Some(module) = look.module else { continue };
            let length = match &module {
                Module::File {
                    data: Some(data), ..
                } => data.len(),
                Module::Missing if is_asked => 0,
                _ => continue,
            };
            if left == 0 {
                break;
            }
            room = left - length;
            if length > 0 || look.entry.is_some() {
                self.sent.insert(path.clone());
            }
            if let Some(source) = look.source {
                let source = String::from_utf8_lossy(&source);
                waiting.extend(imports(&path, look.entry.is_some(), root, &source));
            }
            let entry = look.entry;
            along.push(Along {
                path,
                entry,
                module,
            });
        }
        along
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

    /// What an `import` reads for this path: the first of the files with these endings, and its source, if it has one.
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

    /// A source that is to be compiled, whole.
    fn source(&self, path: &str) -> io::Result<Vec<u8>> {
        let file = self.file(path, OpenOptions::new().read(true))?;
        let mut source = Vec::new();
        file.take(LONGEST_SOURCE.into()).read_to_end(&mut source)?;
        Ok(source)
    }
}

/// What is found at a path.
struct Look {
    entry: Option<Found>,
    /// `None` for a file.
    module: Option<Module>,
    /// Of the module.
    source: Option<Vec<u8>>,
}

/// A board with smaller blocks, in bytes, has no room for what it has not asked for.
const LEAST_BLOCK: u32 = 4096;
/// In bytes: what a path and the ending, sizes and times of its module take beside its content, at most.
const ALONG_HEADER: usize = 40;
/// Paths that come with one answer.
const MOST_ALONG: usize = 128;
