//! The mounted folder, which answers requests of a board's programs.

mod modules;

use std::{
    collections::HashMap,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, UNIX_EPOCH},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, Metadata, OpenOptions},
};
use flylead_core::mount::{
    Access, Answer, Bundler, Content, Errno, Found, LONGEST_READ, OpenMode, Question, page,
};

use super::compiled::{Compile, Compiled};

/// Local folder, held open.
///
/// No path and no link in it leads outside: it is walked from handle to handle. Pipes and devices in it are not opened.
#[derive(Debug)]
pub struct Folder {
    root: Dir,
    path: PathBuf,
    written: Written,
    compiled: Compiled,
    /// Boxed, because the folder moves from task to task with each request and should be small.
    bundler: Box<Bundler>,
}

/// Files written recently by a board, to distinguish its changes from the user's.
#[derive(Debug, Clone, Default)]
pub struct Written(Arc<Mutex<HashMap<PathBuf, Instant>>>);

impl Written {
    /// Returns true if the board has changed this path within the last two seconds.
    #[must_use]
    pub fn has(&self, path: &Path) -> bool {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.retain(|_, at| at.elapsed() < LATELY);
        written.contains_key(path)
    }

    fn add(&self, question: &Question) {
        let paths = match question {
            Question::Open { path, mode, .. } if mode.writes => vec![path],
            Question::Rename { from, to } => vec![from, to],
            Question::Write { path, .. }
            | Question::Remove { path }
            | Question::MakeDirectory { path }
            | Question::RemoveDirectory { path } => vec![path],
            Question::Stat { .. }
            | Question::List { .. }
            | Question::Open { .. }
            | Question::Read { .. } => return,
        };
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.retain(|_, at| at.elapsed() < LATELY);
        let paths = paths.into_iter().map(|path| PathBuf::from(below(path)));
        written.extend(paths.map(|path| (path, Instant::now())));
    }
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// The path does not exist, or is not a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let root = Dir::open_ambient_dir(&path, ambient_authority())?;
        // Some systems can open anything, and only report at the first read that it is not a folder.
        root.entries()?;
        Ok(Self {
            root,
            path,
            written: Written::default(),
            compiled: Compiled::default(),
            bundler: Box::default(),
        })
    }

    /// Compiles modules on their way to the board; unchanged ones only once.
    #[must_use]
    pub fn compiling(mut self, compile: Compile) -> Self {
        self.compiled = Compiled::by(compile);
        self
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files written recently by a board.
    #[must_use]
    pub fn written(&self) -> Written {
        self.written.clone()
    }

    /// Answers a request. It blocks on disk access.
    ///
    /// # Errors
    /// The error that the board raises as an `OSError`.
    pub fn answer(&mut self, question: &Question) -> Answer {
        self.written.add(question);
        let mut answer = self.try_answer(question);
        let found_nothing = matches!(answer, Err(_) | Ok(Content::Found { entry: None, .. }));
        if found_nothing && self.is_gone() {
            if !self.reopen() {
                return Err(Errno::GONE);
            }
            answer = self.try_answer(question);
        }
        answer.map_err(|error| errno(&error))
    }

    fn try_answer(&mut self, question: &Question) -> io::Result<Content> {
        match question {
            Question::Stat { path, limit, root } => self.stat(path, *limit, root),
            Question::List { path, from, limit } => self.list(path, *from, *limit),
            Question::Open { path, mode, limit } => self.open_file(path, *mode, *limit),
            Question::Read {
                path,
                offset,
                limit,
            } => {
                if let Some(code) = self.compiled.get(path) {
                    return Ok(Content::Data(part(code, *offset, *limit)));
                }
                let mut file = self.file(path, OpenOptions::new().read(true))?;
                Ok(Content::Data(read(&mut file, *offset, *limit)?))
            }
            Question::Write { path, offset, data } => {
                let mut file = self.file(path, OpenOptions::new().write(true))?;
                file.seek(SeekFrom::Start((*offset).into()))?;
                file.write_all(data)?;
                Ok(Content::Done)
            }
            Question::Remove { path } => done(self.root.remove_file(below(path))),
            Question::Rename { from, to } => {
                done(self.root.rename(below(from), &self.root, below(to)))
            }
            Question::MakeDirectory { path } => done(self.root.create_dir(below(path))),
            Question::RemoveDirectory { path } => done(self.root.remove_dir(below(path))),
        }
    }

    /// Returns true if the folder itself was removed.
    fn is_gone(&self) -> bool {
        self.root.dir_metadata().is_ok_and(|root| is_removed(&root))
    }

    /// Reopens a folder that was recreated at its path, as a build does. Returns true on success.
    fn reopen(&mut self) -> bool {
        match Dir::open_ambient_dir(&self.path, ambient_authority()) {
            Ok(root) => {
                self.root = root;
                true
            }
            Err(_) => false,
        }
    }

    /// Clears the record of sent modules: this new program on the board lacks them.
    pub(super) fn forget_sent(&mut self, program: String) {
        self.bundler.forget(program);
    }

    /// Looks up a path; `None` if nothing exists there, or nothing usable for a board.
    fn found(&self, path: &str) -> io::Result<Option<Found>> {
        match self.root.metadata(path) {
            Ok(metadata) => Ok(Some(found(&metadata)).filter(|_| is_usable(&metadata))),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn list(&self, path: &str, from: u32, limit: u32) -> io::Result<Content> {
        let mut all = Vec::new();
        for entry in self.root.read_dir(below(path))? {
            // A name that is not text cannot be requested.
            let Ok(name) = entry?.file_name().into_string() else {
                continue;
            };
            let path = format!("{path}/{name}");
            if let Ok(Some(found)) = self.found(below(&path)) {
                all.push((name, found));
            }
        }
        Ok(page(all, from, limit))
    }

    fn open_file(&self, path: &str, mode: OpenMode, limit: u32) -> io::Result<Content> {
        if let Some(code) = self.compiled.get(path).filter(|_| !mode.writes) {
            let size = sized(code).size;
            let data = part(code, 0, limit);
            return Ok(Content::Opened { size, data });
        }
        let mut options = OpenOptions::new();
        options.read(mode.reads).write(mode.writes);
        match mode.access {
            Access::Existing => &mut options,
            Access::Empty => options.create(true).truncate(true),
            Access::Keep => options.create(true),
            Access::New => options.create_new(true),
        };
        let mut file = self.file(path, &mut options)?;
        let size = file.metadata()?.len();
        let size = u32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let data = match mode.reads {
            true => read(&mut file, 0, limit)?,
            false => Vec::new(),
        };
        Ok(Content::Opened { size, data })
    }

    /// Opens a file, without blocking on a pipe's other end.
    fn file(&self, path: &str, options: &mut OpenOptions) -> io::Result<File> {
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = self.root.open_with(below(path), options)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        match metadata.is_file() {
            true => Ok(file),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

/// Returns the path within the folder. The folder itself is `.`.
fn below(path: &str) -> &str {
    match path.trim_matches('/') {
        "" => ".",
        path => path,
    }
}

fn read(file: &mut File, offset: u32, limit: u32) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset.into()))?;
    let mut data = Vec::new();
    file.take(limit.min(LONGEST_READ).into())
        .read_to_end(&mut data)?;
    Ok(data)
}

fn part(code: &[u8], offset: u32, limit: u32) -> Vec<u8> {
    let rest = code.get(offset as usize..).unwrap_or_default();
    rest[..rest.len().min(limit.min(LONGEST_READ) as usize)].to_vec()
}

fn sized(code: &[u8]) -> Found {
    Found {
        is_directory: false,
        size: u32::try_from(code.len()).unwrap_or(u32::MAX),
        modified: 0,
    }
}

fn done(done: io::Result<()>) -> io::Result<Content> {
    done.map(|()| Content::Done)
}

fn found(metadata: &Metadata) -> Found {
    let modified = metadata.modified().ok();
    let modified = modified.and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    Found {
        is_directory: metadata.is_dir(),
        size: u32::try_from(metadata.len()).unwrap_or(u32::MAX),
        modified: modified.map_or(0, |time| u32::try_from(time.as_secs()).unwrap_or(u32::MAX)),
    }
}

fn is_usable(metadata: &Metadata) -> bool {
    metadata.is_dir() || metadata.is_file()
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

#[cfg(unix)]
fn is_removed(root: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    root.nlink() == 0
}

/// Returns false: a folder that is held open cannot be removed.
#[cfg(not(unix))]
fn is_removed(_: &Metadata) -> bool {
    false
}

fn errno(error: &io::Error) -> Errno {
    use io::ErrorKind as Kind;
    match error.kind() {
        // cap-std reports this for paths and links that lead outside, the system for its own refusals.
        Kind::PermissionDenied if error.raw_os_error().is_none() => Errno::OUTSIDE,
        Kind::PermissionDenied => Errno::DENIED,
        Kind::NotFound => Errno::NOT_FOUND,
        Kind::AlreadyExists => Errno::EXISTS,
        Kind::NotADirectory => Errno::NOT_DIRECTORY,
        Kind::IsADirectory => Errno::IS_DIRECTORY,
        Kind::DirectoryNotEmpty => Errno::NOT_EMPTY,
        Kind::StorageFull | Kind::QuotaExceeded => Errno::NO_SPACE,
        Kind::ReadOnlyFilesystem => Errno::READ_ONLY,
        Kind::FileTooLarge => Errno::TOO_LARGE,
        Kind::InvalidInput | Kind::InvalidFilename | Kind::Unsupported => Errno::INVALID,
        _ => Errno::IO,
    }
}

/// Time within which a watcher of the folder may notice the board's own change.
const LATELY: Duration = Duration::from_secs(2);
