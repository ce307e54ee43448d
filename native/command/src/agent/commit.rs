//! A commit for each reply, with the changes that the reply made.
//!
//! ```text
//!   Before::of ──► tree of the files, and what the person has not committed ──► the reply
//!   Before::commit ──► tree of the files ──► what differs, without what was not committed before ──► git commit --only
//! ```
//!
//! No program that the repository names is run: no hook, monitor, filter or signature. Files with a filter are left
//! out, because their content in the commit would differ without it.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use flylead_native::agent::{Agent, Processed};

use super::{Common, bounded};
use crate::terminal::{say, visible_line};

/// State of the repository before a reply; `None` if nothing is to be committed.
pub(super) struct Before(Option<Repository>);

struct Repository {
    top: PathBuf,
    /// The working tree before the reply, as a tree of git.
    tree: String,
    /// Paths of the person's changes that are not committed.
    uncommitted: BTreeSet<String>,
}

impl Before {
    /// Examines the repository around the workspace.
    pub(super) fn of(agent: &Agent, is_wanted: bool) -> io::Result<Self> {
        if !is_wanted {
            return Ok(Self(None));
        }
        let git = Git::at(agent.folder().into())?;
        let top = git.says(&["rev-parse", "--show-toplevel"])?;
        let git = Git::at(top.trim_end_matches(['\r', '\n']).into())?;
        let tree = git.tree()?;
        let uncommitted = git.uncommitted(&tree)?;
        Ok(Self(Some(Repository {
            top: git.folder,
            tree,
            uncommitted,
        })))
    }

    /// Commits everything that has changed since, except what the person had changed before. A failure is only
    /// reported, because the reply was carried out anyway.
    pub(super) fn commit(self, agent: &Agent, done: &Processed, common: &Common) {
        let Some(repository) = self.0 else { return };
        if let Err(why) = repository.commit(agent, done, common) {
            say(format_args!(
                "flylead: the reply was carried out, but its changes were not committed: {why}"
            ));
        }
    }
}

impl Repository {
    fn commit(self, agent: &Agent, done: &Processed, common: &Common) -> io::Result<()> {
        let git = Git::at(self.top)?;
        let mut changes = git.changes(&self.tree, &git.tree()?)?;
        let theirs = take(&mut changes, |path| self.uncommitted.contains(path));
        tell(&theirs, "it had uncommitted changes");
        let filtered = git.filtered(&changes)?;
        let filtered = take(&mut changes, |path| filtered.contains(path));
        tell(&filtered, "a git filter produces its content");
        if changes.is_empty() {
            common.note("nothing to commit");
            return Ok(());
        }
        let commit = git.commit(&changes, &message(agent, done))?;
        common.note(format_args!(
            "commit {commit}: {} files; `git revert {commit}` undoes it",
            changes.len()
        ));
        Ok(())
    }
}

fn message(agent: &Agent, done: &Processed) -> String {
    let said = done.messages.first().unwrap_or(&agent.session().task);
    let subject: String = said
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(72)
        .collect();
    let id = &agent.session().session_id;
    format!("{subject}\n\nBy a reply in session {id} of flylead agent.")
}

/// Removes and returns the paths that must not be committed.
fn take(changes: &mut Vec<Change>, is_left: impl Fn(&str) -> bool) -> Vec<String> {
    let left = changes.extract_if(.., |change| is_left(&change.path));
    left.map(|change| change.path).collect()
}

fn tell(left: &[String], why: &str) {
    for path in left {
        let path = visible_line(path);
        say(format_args!(
            "flylead: {path}: left out of the commit, because {why}"
        ));
    }
}

/// A path that differs between two trees.
struct Change {
    path: String,
    is_new: bool,
}

/// The git program, run in a folder.
struct Git {
    folder: PathBuf,
    /// Names of the filters that git's settings define.
    filters: BTreeSet<String>,
}

impl Git {
    fn at(folder: PathBuf) -> io::Result<Self> {
        let mut git = Self {
            folder,
            filters: BTreeSet::new(),
        };
        let words = ["config", "-z", "--name-only", "--get-regexp", "^filter\\."];
        let found = git.run(git.command(&words), "")?;
        // 1: there are no such settings.
        let found = match found.status.code() {
            Some(1) => String::new(),
            _ => text(&found)?,
        };
        for setting in found.split_terminator('\0') {
            let name = setting.strip_prefix("filter.");
            let name = name.and_then(|name| Some(name.rsplit_once('.')?.0));
            if name.is_some_and(|name| name.contains('=')) {
                let name = visible_line(setting).to_string();
                return Err(io::Error::other(format!(
                    "{name}: a filter with this name cannot be turned off"
                )));
            }
            git.filters.extend(name.map(str::to_owned));
        }
        Ok(git)
    }

    /// Writes the working tree as a tree of git, through an index of its own that begins as a copy of the repository's:
    /// a tracked file stays tracked, whatever git ignores.
    fn tree(&self) -> io::Result<String> {
        let git_folder = self.says(&["rev-parse", "--absolute-git-dir"])?;
        let name = format!("flylead-index-{}", std::process::id());
        let index = Index(Path::new(git_folder.trim_end_matches(['\r', '\n'])).join(name));
        let own = self.says(&["rev-parse", "--git-path", "index"])?;
        match fs::copy(
            self.folder.join(own.trim_end_matches(['\r', '\n'])),
            &index.0,
        ) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let with_index = |words: &[&str]| {
            let mut command = self.command(words);
            command.env("GIT_INDEX_FILE", &index.0);
            text(&self.run(command, "")?)
        };
        with_index(&["add", "-A"])?;
        Ok(with_index(&["write-tree"])?.trim_end().to_owned())
    }

    /// Returns the paths that differ from the last commit, in the files or in the index.
    fn uncommitted(&self, tree: &str) -> io::Result<BTreeSet<String>> {
        let last = self.run(
            self.command(&["rev-parse", "-q", "--verify", "HEAD^{tree}"]),
            "",
        )?;
        let last = match last.status.success() {
            true => text(&last)?,
            false => self.says(&["mktree"])?,
        };
        let last = last.trim_end();
        let changed = self.changes(last, tree)?;
        let options = ["--cached", "-z", "--name-only", "--no-renames", last];
        let staged = self.says(&[&["diff-index"][..], &options].concat())?;
        let staged = staged.split_terminator('\0').map(str::to_owned);
        Ok(changed
            .into_iter()
            .map(|change| change.path)
            .chain(staged)
            .collect())
    }

    fn changes(&self, before: &str, after: &str) -> io::Result<Vec<Change>> {
        let options = ["-r", "-z", "--name-status", "--no-renames", before, after];
        let said = self.says(&[&["diff-tree"][..], &options].concat())?;
        let mut parts = said.split_terminator('\0');
        let pairs = std::iter::from_fn(|| Some((parts.next()?, parts.next()?)));
        let changes = pairs.map(|(status, path)| Change {
            path: path.to_owned(),
            is_new: status == "A",
        });
        Ok(changes.collect())
    }

    /// Returns the paths among the changes whose content is made by a filter.
    fn filtered(&self, changes: &[Change]) -> io::Result<BTreeSet<String>> {
        let command = self.command(&["check-attr", "-z", "--stdin", "filter"]);
        let said = text(&self.run(command, &lines(changes.iter()))?)?;
        let mut parts = said.split_terminator('\0');
        let all = std::iter::from_fn(|| {
            let (path, _, filter) = (parts.next()?, parts.next()?, parts.next()?);
            Some((path, filter))
        });
        let bound = all.filter(|(_, filter)| self.filters.contains(*filter));
        Ok(bound.map(|(path, _)| path.to_owned()).collect())
    }

    fn commit(&self, changes: &[Change], message: &str) -> io::Result<String> {
        let is_there = |change: &&Change| {
            change.is_new && fs::symlink_metadata(self.folder.join(&change.path)).is_ok()
        };
        let new: Vec<&Change> = changes.iter().filter(is_there).collect();
        for some in new.chunks(MOST) {
            let paths: Vec<&str> = some.iter().map(|change| &*change.path).collect();
            self.says(&[&["add", "--intent-to-add", "--"][..], &paths].concat())?;
        }
        let paths = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let words = ["commit", "-q", "--only", "-m", message];
        let command = self.command(&[&words[..], &paths].concat());
        let done = self.run(command, &lines(changes.iter()));
        if let Err(why) = done.and_then(|done| text(&done)) {
            // New files become unknown to git again.
            let command = self.command(&["update-index", "--force-remove", "-z", "--stdin"]);
            let _ = self.run(command, &lines(new));
            return Err(why);
        }
        let commit = self.says(&["rev-parse", "--short", "HEAD"])?;
        Ok(commit.trim_end().to_owned())
    }

    fn says(&self, words: &[&str]) -> io::Result<String> {
        text(&self.run(self.command(words), "")?)
    }

    /// Returns a command that runs no program named by the repository: a reply may have written it.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for name in &self.filters {
            for setting in ["clean=", "smudge=", "process=", "required=false"] {
                command.arg("-c").arg(format!("filter.{name}.{setting}"));
            }
        }
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        command.args(words).env("GIT_LITERAL_PATHSPECS", "1");
        command
    }

    fn run(&self, mut command: Command, input: &str) -> io::Result<Output> {
        bounded::output(&mut command, input.as_bytes().to_vec(), PATIENCE)
            .map_err(|error| io::Error::new(error.kind(), format!("git: {error}")))
    }
}

fn lines<'a>(changes: impl IntoIterator<Item = &'a Change>) -> String {
    let paths = changes
        .into_iter()
        .map(|change| format!("{}\0", change.path));
    paths.collect()
}

fn text(output: &Output) -> io::Result<String> {
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(io::Error::other(format!(
            "git: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

/// An index beside the repository's own.
struct Index(PathBuf);

impl Drop for Index {
    fn drop(&mut self) {
        // Nobody needs the index any more, nor a lock left behind by a killed git.
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_file(self.0.with_extension("lock"));
    }
}

const SETTINGS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
];
/// Time limit of one call.
const PATIENCE: Duration = Duration::from_secs(120);
/// Number of paths in one call.
const MOST: usize = 500;
