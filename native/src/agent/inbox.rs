//! The folder in which the user saves replies. Its content is untrusted.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use cap_std::{ambient_authority, fs::Dir};
use flylead_core::agent::MESSAGE_LIMIT;

use super::{Agent, open, store::Store};
use crate::agent::workspace::OWN;

/// Inbox, polled for replies. Files are taken in the order of their last write (CodingAgent protocol v1.0, "Inbox File
/// Naming"), then by name, and only once nobody writes to them any more. Links, pipes and devices are ignored.
#[derive(Debug)]
pub struct InboxFolder {
    folder: Store,
    seen: HashMap<String, Seen>,
}

/// Observed state of a file, and the time of the observation.
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
    /// Name in the inbox.
    pub name: String,
    /// Time of the last write.
    pub written: SystemTime,
    /// Content, or the reason why it was not read.
    pub reply: Result<Vec<u8>, String>,
}

impl InboxFolder {
    /// Opens the inbox of an agent, and creates it if it is missing: `.flylead/inbox` in its workspace, or beside the
    /// sessions if the workspace is a board.
    ///
    /// # Errors
    /// The inbox cannot be created, or one of its folders is a link.
    pub fn of(agent: &Agent) -> io::Result<Self> {
        let workspace = agent.home.workspace();
        let folder = match open::board(workspace) {
            Some(_) => agent.home.folder(INBOX)?,
            None => inside(Path::new(workspace))?,
        };
        Ok(Self::at(folder))
    }

    fn at(folder: Store) -> Self {
        Self {
            folder,
            seen: HashMap::new(),
        }
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Takes the oldest complete reply. `None` if there is none yet; poll again soon.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn take(&mut self, now: Instant) -> io::Result<Option<Taken>> {
        let mut files = self.files()?;
        files.sort_by(|(one, a), (other, b)| (a.written, one).cmp(&(b.written, other)));
        self.seen
            .retain(|name, _| files.iter().any(|(file, _)| file == name));
        for (name, state) in &files {
            let new = Seen {
                state: *state,
                since: now,
            };
            let seen = self.seen.entry(name.clone()).or_insert(new);
            if seen.state != *state {
                *seen = new;
            }
        }
        let Some((name, State { written, .. })) = files.into_iter().next() else {
            return Ok(None);
        };
        let is_quiet = |seen: &Seen| now.duration_since(seen.since) >= QUIET;
        if !self.seen.get(&name).is_some_and(is_quiet) {
            return Ok(None);
        }
        Ok(self.read(&name).map(|reply| Taken {
            name,
            written,
            reply,
        }))
    }

    /// Reads a reply. Returns `None` if it cannot be opened, as its writer still holds it; an oversized one is refused
    /// for good.
    fn read(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        match self.folder.read(name, MESSAGE_LIMIT as u64) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Some(Err(error.to_string()))
            }
            reply => reply.ok().map(Ok),
        }
    }

    fn files(&self) -> io::Result<Vec<(String, State)>> {
        let mut files = self.folder.files()?;
        files.retain(|(name, _)| is_reply(name));
        let state = |metadata: cap_std::fs::Metadata| State {
            bytes: metadata.len(),
            written: metadata
                .modified()
                .map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std),
        };
        Ok(files
            .into_iter()
            .map(|(name, metadata)| (name, state(metadata)))
            .collect())
    }

    /// Moves a processed reply to the agent's own files, as the answer to an outbox. An older one is never overwritten.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn put_away(&self, agent: &Agent, taken: &Taken, sequence: u32) -> io::Result<PathBuf> {
        let id = &agent.session.session_id;
        let name = format!("{id}_seq{sequence:04}_{}", taken.name);
        let processed = agent.home.processed();
        // The target may be on another disk, so the bytes that were read are written again.
        let name = free_name(processed, &name);
        processed.write(&name, taken.reply.as_deref().unwrap_or_default())?;
        self.folder.remove(&taken.name)?;
        Ok(processed.path_of(&name))
    }

    /// Sets aside a reply that was not executed.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn put_aside(&self, taken: &Taken) -> io::Result<PathBuf> {
        let rejected = self.folder.folder("rejected")?;
        let name = free_name(&rejected, &taken.name);
        self.folder.rename(&taken.name, &rejected, &name)?;
        Ok(rejected.path_of(&name))
    }
}

/// Opens the inbox below a workspace, whose folders are untrusted. git ignores it.
fn inside(workspace: &Path) -> io::Result<Store> {
    let root = Dir::open_ambient_dir(workspace, ambient_authority())?;
    let own = Store::of(root, workspace.to_owned()).folder(OWN)?;
    if !own.has(IGNORE) {
        own.write(IGNORE, b"*\n")?;
    }
    own.folder(INBOX)
}

/// Returns false for names that browsers and editors use for unfinished files.
fn is_reply(name: &str) -> bool {
    let hidden = name.starts_with(['.', '~', '#']);
    let is_text = name
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("txt"));
    is_text && !hidden
}

/// Returns the name, numbered if it is taken. Only one agent puts files there, so the name stays free.
fn free_name(folder: &Store, name: &str) -> String {
    let numbered = (2u32..).map(|number| format!("{number}_{name}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| !folder.has(name));
    free.unwrap_or_else(|| name.to_owned())
}

const INBOX: &str = "inbox";
const IGNORE: &str = ".gitignore";
/// Time that a file must stay unchanged to count as complete.
const QUIET: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn inbox() -> (tempfile::TempDir, InboxFolder) {
        let folder = tempfile::tempdir().unwrap();
        let inbox = InboxFolder::at(Store::open(folder.path()).unwrap());
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
        inbox.take(at).unwrap().map(|taken| taken.name)
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
    fn a_reply_that_is_put_aside_overwrites_no_other() {
        let (folder, mut inbox) = inbox();
        for text in ["1", "2", "3"] {
            write(&folder, "r.txt", text, 1);
            let start = Instant::now();
            assert_eq!(taken(&mut inbox, start), None);
            let reply = inbox.take(start + QUIET).unwrap().unwrap();
            inbox.put_aside(&reply).unwrap();
        }
        let read = |name| fs::read_to_string(folder.path().join("rejected").join(name)).unwrap();
        assert_eq!(
            [read("r.txt"), read("2_r.txt"), read("3_r.txt")],
            ["1", "2", "3"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_a_pipe_is_no_reply_and_what_is_too_long_is_not_read() {
        use std::os::unix::fs::symlink;
        let (folder, mut inbox) = inbox();
        let secret = tempfile::NamedTempFile::new().unwrap();
        symlink(secret.path(), folder.path().join("link.txt")).unwrap();
        let pipe = folder.path().join("pipe.txt");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            pipe,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        let long = fs::File::create(folder.path().join("long.txt")).unwrap();
        long.set_len(MESSAGE_LIMIT as u64 + 1).unwrap();
        let start = Instant::now();
        assert_eq!(taken(&mut inbox, start), None);
        let reply = inbox.take(start + QUIET).unwrap().unwrap();
        assert_eq!(reply.name, "long.txt");
        assert!(reply.reply.unwrap_err().contains("is longer than"));
    }

    #[cfg(unix)]
    #[test]
    fn an_inbox_behind_a_link_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let (work, outside) = (top.path().join("work"), top.path().join("outside"));
        fs::create_dir(&work).unwrap();
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, work.join(OWN)).unwrap();
        let refused = inside(&work).unwrap_err().to_string();
        assert!(refused.contains("not a link"), "{refused}");
        fs::remove_file(work.join(OWN)).unwrap();
        fs::create_dir(work.join(OWN)).unwrap();
        std::os::unix::fs::symlink(&outside, work.join(OWN).join(INBOX)).unwrap();
        assert!(inside(&work).is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
