//! The folder where a person saves replies.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::Agent;

/// The inbox, looked at again and again. Files are taken in the order of their last writing, then of their names, and
/// only when nobody writes to them any more.
#[derive(Debug)]
pub struct InboxFolder {
    folder: PathBuf,
    seen: HashMap<PathBuf, Seen>,
}

/// How a file was, and since when.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    state: State,
    since: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    bytes: u64,
    written: SystemTime,
}

/// A reply that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub reply: Vec<u8>,
}

impl InboxFolder {
    /// The inbox of a session's agent.
    #[must_use]
    pub fn of(agent: &Agent) -> Self {
        Self::at(agent.home.inbox())
    }

    /// Any folder.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self {
            folder,
            seen: HashMap::new(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The oldest reply that is whole. `None`: there is none yet; ask again soon.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn take(&mut self, now: Instant) -> io::Result<Option<Taken>> {
        let mut files = self.files()?;
        files.sort_by(|(one, a), (other, b)| (a.written, one).cmp(&(b.written, other)));
        self.seen
            .retain(|path, _| files.iter().any(|(file, _)| file == path));
        for (path, state) in &files {
            let new = Seen {
                state: *state,
                since: now,
            };
            let seen = self.seen.entry(path.clone()).or_insert(new);
            if seen.state != *state {
                *seen = new;
            }
        }
        let Some((path, _)) = files.into_iter().next() else {
            return Ok(None);
        };
        let is_quiet = |seen: &Seen| now.duration_since(seen.since) >= QUIET;
        if !self.seen.get(&path).is_some_and(is_quiet) {
            return Ok(None);
        }
        // One that cannot be opened is held by whoever writes it.
        let reply = fs::read(&path).ok();
        Ok(reply.map(|reply| Taken { path, reply }))
    }

    fn files(&self) -> io::Result<Vec<(PathBuf, State)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let is_reply = entry.file_name().to_str().is_some_and(is_reply);
            // A file that is gone by now is none.
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if is_reply && metadata.is_file() {
                let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                let bytes = metadata.len();
                files.push((entry.path(), State { bytes, written }));
            }
        }
        Ok(files)
    }
}

impl Agent {
    /// Puts a reply away that was processed as the answer to an outbox. An older one is never overwritten.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn put_away(&self, taken: &Taken, sequence: u32) -> io::Result<PathBuf> {
        let name = file_name(&taken.path);
        let name = format!("{}_seq{sequence:04}_{name}", self.session.session_id);
        move_to(&taken.path, &self.home.processed(), &name)
    }

    /// Puts a reply aside of which nothing was done.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn put_aside(&self, taken: &Taken) -> io::Result<PathBuf> {
        let rejected = self.home.inbox().join("rejected");
        fs::create_dir_all(&rejected)?;
        move_to(&taken.path, &rejected, &file_name(&taken.path))
    }
}

/// What browsers and editors keep while they write has other names.
fn is_reply(name: &str) -> bool {
    let hidden = name.starts_with(['.', '~', '#']);
    let is_text = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("txt"));
    is_text && !hidden
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn move_to(from: &Path, folder: &Path, name: &str) -> io::Result<PathBuf> {
    for number in 1u32.. {
        let name = match number {
            1 => name.to_owned(),
            number => format!("{number}_{name}"),
        };
        let to = folder.join(name);
        // Only one agent moves files here, so nothing comes in between.
        if !to.exists() {
            fs::rename(from, &to)?;
            return Ok(to);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// How long a file has to be the same before it counts as whole.
const QUIET: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::*;

    fn inbox() -> (tempfile::TempDir, InboxFolder) {
        let folder = tempfile::tempdir().unwrap();
        let inbox = InboxFolder::at(folder.path().to_owned());
        (folder, inbox)
    }

    fn write(folder: &tempfile::TempDir, name: &str, text: &str, seconds: u64) {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }

    fn taken(inbox: &mut InboxFolder, at: Instant) -> Option<String> {
        inbox.take(at).unwrap().map(|taken| file_name(&taken.path))
    }

    #[test]
    fn replies_are_taken_by_age_then_by_name_when_they_are_quiet() {
        let (folder, mut inbox) = inbox();
        write(&folder, "b.txt", "1", 50);
        write(&folder, "c.TXT", "2", 20);
        write(&folder, "a.txt", "3", 50);
        let start = Instant::now();
        assert_eq!(taken(&mut inbox, start), None);
        let later = start + QUIET;
        for name in ["c.TXT", "a.txt", "b.txt"] {
            assert_eq!(taken(&mut inbox, later).as_deref(), Some(name));
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }

    #[test]
    fn a_reply_that_still_grows_is_not_taken_and_nothing_overtakes_it() {
        let (folder, mut inbox) = inbox();
        let start = Instant::now();
        write(&folder, "old.txt", "1", 10);
        write(&folder, "new.txt", "2", 20);
        assert_eq!(taken(&mut inbox, start), None);
        write(&folder, "old.txt", "1 and more", 11);
        assert_eq!(taken(&mut inbox, start + QUIET), None);
        assert_eq!(
            taken(&mut inbox, start + QUIET * 2).as_deref(),
            Some("old.txt")
        );
    }

    #[test]
    fn what_browsers_and_editors_keep_while_they_write_is_no_reply() {
        for name in [
            ".a.txt",
            "~a.txt",
            "#a.txt#",
            "a.txt.part",
            "a.crdownload",
            "a.txt.tmp",
            "txt",
            "a.md",
        ] {
            assert!(!is_reply(name), "{name}");
        }
        assert!(is_reply("a.txt") && is_reply("my reply.Txt"));
    }

    #[test]
    fn a_reply_that_is_put_away_overwrites_no_other() {
        let (folder, _) = inbox();
        for text in ["1", "2", "3"] {
            write(&folder, "r.txt", text, 1);
            move_to(&folder.path().join("r.txt"), folder.path(), "kept.txt").unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(
            [read("kept.txt"), read("2_kept.txt"), read("3_kept.txt")],
            ["1", "2", "3"]
        );
    }
}
