//! The mounted folder, which answers requests of a board's programs (File System Standard,
//! `FileSystemDirectoryHandle`).

use flylead_core::mount::{
    Access, Answer, Bundler, Content, Errno, Look, Module, OpenMode, Question, module_endings, page,
};
use web_sys::{FileSystemDirectoryHandle, FileSystemFileHandle};

use super::handles::{
    DIRECTORY, Result, copy_directory, copy_file, directory_in, file_in, file_of, found, list,
    next, read, remove_from, size, write,
};

/// Folder that the user has opened. Its handle only leads to entries below it.
#[derive(Debug)]
pub(super) struct Folder {
    root: FileSystemDirectoryHandle,
    bundler: Bundler,
}

/// Entry at a path.
enum Entry {
    File(FileSystemFileHandle),
    Directory(FileSystemDirectoryHandle),
}

impl Folder {
    pub(super) fn new(root: FileSystemDirectoryHandle) -> Self {
        Self {
            root,
            bundler: Bundler::default(),
        }
    }

    /// Answers a request. The board raises an error as an `OSError`.
    pub(super) async fn answer(&mut self, question: &Question) -> Answer {
        let answer = self.try_answer(question).await;
        let found_nothing = matches!(
            answer,
            Err(Errno::NOT_FOUND) | Ok(Content::Found { entry: None, .. })
        );
        match found_nothing && self.is_gone().await {
            true => Err(Errno::GONE),
            false => answer,
        }
    }

    async fn try_answer(&mut self, question: &Question) -> Answer {
        match question {
            Question::Stat { path, limit, root } => self.stat(path, *limit, root).await,
            Question::List { path, from, limit } => {
                let all = list(&self.directory(path).await?).await?;
                Ok(page(all, *from, *limit))
            }
            Question::Open { path, mode, limit } => self.open(path, *mode, *limit).await,
            Question::Read {
                path,
                offset,
                limit,
            } => {
                let file = file_of(&self.file(path).await?).await?;
                Ok(Content::Data(read(&file, *offset, *limit).await?))
            }
            Question::Write { path, offset, data } => {
                let file = self.file(path).await?;
                done(write(&file, Some(*offset), data).await)
            }
            Question::Remove { path } => match self.entry(path).await? {
                Some(Entry::File(_)) => done(self.remove(path, false).await),
                Some(Entry::Directory(_)) => Err(Errno::IS_DIRECTORY),
                None => Err(Errno::NOT_FOUND),
            },
            Question::Rename { from, to } => done(self.rename(from, to).await),
            Question::MakeDirectory { path } => match self.entry(path).await? {
                Some(_) => Err(Errno::EXISTS),
                None => {
                    let (parent, name) = self.parent(path).await?;
                    done(directory_in(&parent, name, true).await.map(drop))
                }
            },
            Question::RemoveDirectory { path } => match self.entry(path).await? {
                Some(Entry::Directory(_)) => done(self.remove(path, false).await),
                Some(Entry::File(_)) => Err(Errno::NOT_DIRECTORY),
                None => Err(Errno::NOT_FOUND),
            },
        }
    }

    /// Clears the record of sent modules: this new program on the board lacks them.
    pub(super) fn forget_sent(&mut self, program: String) {
        self.bundler.forget(program);
    }

    /// Returns true if the folder itself was removed.
    async fn is_gone(&self) -> bool {
        next(&self.root.values()).await.err() == Some(Errno::NOT_FOUND)
    }

    /// Describes the entry at a path; for a module, includes its content and its imports, as far as they fit.
    async fn stat(&mut self, path: &str, limit: u32, root: &str) -> Answer {
        let first = self.look(path, limit).await?;
        self.bundler.begin(path, root, limit, first);
        while let Some((path, limit)) = self.bundler.wanted() {
            let look = self.look(&path, limit).await.ok();
            self.bundler.found(look);
        }
        Ok(self.bundler.finish())
    }

    async fn look(&self, path: &str, limit: u32) -> Result<Look> {
        let entry = match self.entry(path).await? {
            None => None,
            Some(Entry::Directory(_)) => Some(DIRECTORY),
            Some(Entry::File(file)) => Some(found(&file_of(&file).await?)),
        };
        let is_file = entry.is_some_and(|entry| !entry.is_directory);
        if is_file {
            let (module, source) = (None, None);
            return Ok(Look {
                entry,
                module,
                source,
            });
        }
        let (module, source) = self.module(path, entry.is_some(), limit).await?;
        Ok(Look {
            entry,
            module: Some(module),
            source,
        })
    }

    /// Finds the module that an `import` reads for this path, and its text, if it is source code.
    async fn module(
        &self,
        path: &str,
        is_directory: bool,
        limit: u32,
    ) -> Result<(Module, Option<Vec<u8>>)> {
        for &ending in module_endings(path, is_directory) {
            let Some(Entry::File(file)) = self.entry(&format!("{path}{ending}")).await? else {
                continue;
            };
            let file = file_of(&file).await?;
            let found = found(&file);
            let data = match found.size <= limit {
                true => Some(read(&file, 0, limit).await?),
                false => None,
            };
            let source = data.clone().filter(|_| ending.ends_with(".py"));
            let module = Module::File {
                ending,
                found,
                data,
            };
            return Ok((module, source));
        }
        Ok((Module::Missing, None))
    }

    async fn open(&self, path: &str, mode: OpenMode, limit: u32) -> Answer {
        let present = self.entry(path).await?;
        let file = match (present, mode.access) {
            (Some(Entry::Directory(_)), _) => return Err(Errno::IS_DIRECTORY),
            (Some(_), Access::New) => return Err(Errno::EXISTS),
            (None, Access::Existing) => return Err(Errno::NOT_FOUND),
            (Some(Entry::File(file)), _) => file,
            (None, _) => {
                let (parent, name) = self.parent(path).await?;
                file_in(&parent, name, true).await?
            }
        };
        if mode.access == Access::Empty {
            write(&file, None, &[]).await?;
        }
        let file = file_of(&file).await?;
        let size = size(&file).ok_or(Errno::TOO_LARGE)?;
        let data = match mode.reads {
            true => read(&file, 0, limit).await?,
            false => Vec::new(),
        };
        Ok(Content::Opened { size, data })
    }

    /// Renames an entry. Browsers cannot rename folders: files are moved one by one, and the old ones are removed last.
    async fn rename(&self, from: &str, to: &str) -> Result<()> {
        let (from_names, to_names) = (names(from)?, names(to)?);
        if from_names == to_names {
            return self.entry(from).await?.map(drop).ok_or(Errno::NOT_FOUND);
        }
        if to_names.starts_with(&from_names) {
            return Err(Errno::INVALID);
        }
        match (self.entry(from).await?, self.entry(to).await?) {
            (None, _) => Err(Errno::NOT_FOUND),
            (Some(Entry::File(_)), Some(Entry::Directory(_))) => Err(Errno::IS_DIRECTORY),
            (Some(Entry::File(file)), _) => {
                let (parent, name) = self.parent(to).await?;
                copy_file(&file, &parent, name).await?;
                self.remove(from, false).await
            }
            (Some(Entry::Directory(_)), Some(Entry::File(_))) => Err(Errno::NOT_DIRECTORY),
            (Some(Entry::Directory(folder)), present) => {
                if let Some(Entry::Directory(present)) = present
                    && next(&present.values()).await?.is_some()
                {
                    return Err(Errno::NOT_EMPTY);
                }
                let (parent, name) = self.parent(to).await?;
                copy_directory(&folder, &directory_in(&parent, name, true).await?).await?;
                self.remove(from, true).await
            }
        }
    }

    async fn remove(&self, path: &str, recursive: bool) -> Result<()> {
        let (parent, name) = self.parent(path).await?;
        remove_from(&parent, name, recursive).await
    }

    async fn entry(&self, path: &str) -> Result<Option<Entry>> {
        let names = names(path)?;
        let Some((name, above)) = names.split_last() else {
            return Ok(Some(Entry::Directory(self.root.clone())));
        };
        let parent = match self.walk(above).await {
            Err(Errno::NOT_FOUND | Errno::NOT_DIRECTORY) => return Ok(None),
            parent => parent?,
        };
        match file_in(&parent, name, false).await {
            Ok(file) => Ok(Some(Entry::File(file))),
            Err(Errno::NOT_FOUND) => Ok(None),
            // The path is not a file.
            Err(Errno::IS_DIRECTORY) => {
                let directory = directory_in(&parent, name, false).await?;
                Ok(Some(Entry::Directory(directory)))
            }
            Err(error) => Err(error),
        }
    }

    async fn file(&self, path: &str) -> Result<FileSystemFileHandle> {
        match self.entry(path).await? {
            Some(Entry::File(file)) => Ok(file),
            Some(Entry::Directory(_)) => Err(Errno::IS_DIRECTORY),
            None => Err(Errno::NOT_FOUND),
        }
    }

    async fn directory(&self, path: &str) -> Result<FileSystemDirectoryHandle> {
        self.walk(&names(path)?).await
    }

    async fn parent<'a>(&self, path: &'a str) -> Result<(FileSystemDirectoryHandle, &'a str)> {
        let names = names(path)?;
        let (name, above) = names.split_last().ok_or(Errno::INVALID)?;
        Ok((self.walk(above).await?, *name))
    }

    async fn walk(&self, names: &[&str]) -> Result<FileSystemDirectoryHandle> {
        let mut directory = self.root.clone();
        for name in names {
            directory = directory_in(&directory, name, false).await?;
        }
        Ok(directory)
    }
}

/// Splits a path into names. A path that leads out of the folder is refused; the browser refuses such names as well.
fn names(path: &str) -> Result<Vec<&str>> {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop().ok_or(Errno::OUTSIDE)?),
            name => names.push(name),
        }
    }
    Ok(names)
}

fn done(done: Result<()>) -> Answer {
    done.map(|()| Content::Done)
}
