//! Runs a folder's commands in a sandbox and in a view of the folder, from which the user accepts changes.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

#[cfg(target_os = "linux")]
use std::sync::PoisonError;

#[cfg(target_os = "linux")]
use super::view::{self, View, Way};
use super::{Accept, Ran, ended};
#[cfg(not(target_os = "linux"))]
use crate::agent::shell::Mounts;
use crate::agent::shell::{self, Limits, Options, Sandbox};

/// Confinement of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Confinement {
    /// bubblewrap's sandbox. If it is unavailable, commands are refused.
    #[default]
    Bubblewrap,
    /// Restrictions by Landlock alone.
    Landlock,
    /// None: commands may do whatever the user may.
    None,
}

/// Change by a command to a part of a repository that git obeys.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitChange {
    /// Path relative to the workspace.
    pub path: String,
    /// Difference, as a unified diff or a description.
    pub text: String,
}

/// Shows the user changes that git will obey; returns true if they are kept.
pub type Review = fn(&[GitChange]) -> bool;

/// Permissions of a folder's commands.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    /// Confinement of the commands.
    pub confinement: Confinement,
    /// True to allow access to the network.
    pub network: bool,
    /// Review of changes that git will obey; if set, commands in bubblewrap's sandbox may change repositories.
    pub git: Option<Review>,
    /// Selects the changes of a command to accept. `None` accepts all except those that a program obeys at once.
    pub accept: Option<Accept>,
    /// Folder for the caches of tools and the views of commands. `None` keeps no caches.
    pub own: Option<PathBuf>,
}

/// A folder's commands.
#[derive(Debug, Default)]
pub(super) struct Commands {
    rights: Rights,
    sandbox: OnceLock<Result<Sandbox, String>>,
    #[cfg(target_os = "linux")]
    way: std::sync::Mutex<Option<Way>>,
}

impl Commands {
    pub(super) fn new(rights: Rights) -> Self {
        Self {
            rights,
            ..Self::default()
        }
    }

    /// Runs a script. Keeps the data for undoing its changes in the folder `undo`.
    pub(super) fn run(&self, root: &Path, script: &str, undo: &Path) -> io::Result<Ran> {
        let Some(sandbox) = self.sandbox(root) else {
            let ran = shell::run_in(script, root, Limits::default(), None)?;
            return Ok(ended::in_words(script, ran));
        };
        let sandbox = sandbox.map_err(|why| io::Error::other(refused(why)))?;
        let (ran, notes) = self.confined(root, sandbox, (script, undo))?;
        let hint = (!is_success(&ran))
            .then(|| sandbox.hint(&ran.output))
            .flatten();
        let mut ran = ended::in_words(script, ran);
        ran.notes.extend(notes.into_iter().chain(hint));
        Ok(ran)
    }

    /// Returns the sandbox, or the reason why it is unavailable; `None` if none is requested.
    fn sandbox(&self, root: &Path) -> Option<Result<&Sandbox, &String>> {
        let confine = match self.rights.confinement {
            Confinement::Bubblewrap => Sandbox::bubblewrap,
            Confinement::Landlock => Sandbox::landlock,
            Confinement::None => return None,
        };
        let make = || {
            let options = Options {
                network: self.rights.network,
                cache: self.cache()?,
                signs: self.rights.git.is_some(),
            };
            confine(root, &options)
        };
        Some(self.sandbox.get_or_init(make).as_ref())
    }

    fn cache(&self) -> Result<Option<PathBuf>, String> {
        let Some(cache) = self.rights.own.as_ref().map(|own| own.join("cache")) else {
            return Ok(None);
        };
        std::fs::create_dir_all(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
        Ok(Some(cache))
    }

    /// Describes the restrictions to a person.
    pub(super) fn in_words(&self, root: &Path) -> String {
        let words = match self.sandbox(root) {
            None => format!(
                "commands run in {} WITHOUT a sandbox: they can do whatever you can",
                root.display()
            ),
            Some(Ok(sandbox)) => sandbox.in_words(),
            Some(Err(why)) => return refused(why),
        };
        format!("{words}; {}", shell::environment_in_words())
    }
}

fn refused(why: &str) -> String {
    let less = if cfg!(target_os = "linux") {
        "--sandbox landlock runs them in a weaker one, --sandbox none without any"
    } else {
        "--sandbox none runs them without one"
    };
    format!("commands are refused, because no sandbox is available: {why}. {less}")
}

/// Returns the repositories listed in an index (git-ls-files(1): `MODE OBJECT STAGE<tab>PATH`).
#[cfg(target_os = "linux")]
fn gitlinks(index: &[u8]) -> Vec<String> {
    let index = String::from_utf8_lossy(index);
    let linked = index.lines().filter(|line| line.starts_with("160000 "));
    let path = |line: &str| line.split_once('\t').map(|(_, path)| path.to_owned());
    linked.filter_map(path).collect()
}

#[cfg(target_os = "linux")]
const LIST_INDEX: &str = "git ls-files --stage 2>/dev/null";

fn is_success(ran: &shell::Ran) -> bool {
    matches!(ran.end, shell::End::Exited(status) if status.success())
}

#[cfg(target_os = "linux")]
impl Commands {
    /// Runs a command in a view of the workspace, and applies the changes that the user accepts. Also returns notes
    /// about them.
    fn confined(
        &self,
        root: &Path,
        sandbox: &Sandbox,
        (script, undo): (&str, &Path),
    ) -> io::Result<(shell::Ran, Vec<String>)> {
        let (way, mut notes) = self.way(root, sandbox);
        let done = self.in_view(root, (sandbox, way), (script, undo))?;
        let Some((ran, more)) = done else {
            // The view with all that is in it is gone, so it can be run once more.
            self.set_way(Way::Copy);
            notes.push(CANNOT_MOVE.to_owned());
            let done = self.in_view(root, (sandbox, Way::Copy), (script, undo))?;
            let (ran, more) =
                done.ok_or_else(|| io::Error::other("the command cannot move folders"))?;
            notes.extend(more);
            return Ok((ran, notes));
        };
        notes.extend(more);
        Ok((ran, notes))
    }

    /// Runs a command in a view; `None` if it failed because an overlay cannot move a folder, and may be run again in a
    /// copy.
    fn in_view(
        &self,
        root: &Path,
        (sandbox, way): (&Sandbox, Way),
        (script, undo): (&str, &Path),
    ) -> io::Result<Option<(shell::Ran, Vec<String>)>> {
        let (folder, _temporary) = self.view_folder()?;
        let review = self.rights.git.filter(|_| sandbox.has_mounts());
        if way == Way::Overlay && review.is_none() {
            let done = View::run_in_overlay(root, &folder, |mounts, ready| {
                let sandbox = Some((sandbox, mounts));
                shell::run_when(ready, script, root, Limits::default(), sandbox)
            })?;
            return match done {
                Some((_, ran)) if self.may_run_again(way, &ran) => Ok(None),
                Some((view, ran)) => Ok(Some((ran, self.end(view, undo)?))),
                None => self.in_view(root, (sandbox, Way::Copy), (script, undo)),
            };
        }
        let mut view = View::begin(root, &folder, way, review)?;
        let mut mounts = view.mounts()?;
        let copies = review
            .and(self.rights.own.as_ref())
            .map(|own| own.join("git"));
        let lifted = copies
            .map(|copies| view.lift_git(copies, &mut mounts))
            .transpose()?;
        let at = match way {
            Way::WholeCopy => view.path(),
            Way::Overlay | Way::Copy => root.to_owned(),
        };
        let run = |script| shell::run_in(script, &at, Limits::default(), Some((sandbox, &mounts)));
        let linked = || match &lifted {
            Some(_) => run(LIST_INDEX).map_or_else(|_| Vec::new(), |ran| gitlinks(&ran.output)),
            None => Vec::new(),
        };
        let before = linked();
        let ran = run(script)?;
        if self.may_run_again(way, &ran) {
            return Ok(None);
        }
        let mut after = linked();
        after.retain(|path| !before.contains(path));
        let mut notes = Vec::new();
        if let (Some(lifted), Some(review)) = (lifted, review) {
            notes.extend(lifted.take_over(root, &after, review));
        }
        notes.extend(self.end(view, undo)?);
        Ok(Some((ran, notes)))
    }

    /// Applies the changes in a view that the user accepts, and returns notes about them.
    fn end(&self, view: View, undo: &Path) -> io::Result<Vec<String>> {
        view.end(self.rights.accept.unwrap_or(super::unseen), undo)
    }

    /// Returns true if the command failed because an overlay cannot move a folder, and can be repeated in a copy.
    fn may_run_again(&self, way: Way, ran: &shell::Ran) -> bool {
        way == Way::Overlay
            && !is_success(ran)
            && !self.rights.network
            && says_cannot_move(&ran.output)
    }

    /// Returns the way to make a view, determined once, and the reason if it is not an overlay.
    fn way(&self, root: &Path, sandbox: &Sandbox) -> (Way, Vec<String>) {
        let known = *self.way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(way) = known {
            return (way, Vec::new());
        }
        let (way, why) = match sandbox.has_mounts() {
            false => (Way::WholeCopy, None),
            true => match self.try_overlay(root, sandbox) {
                Ok(()) => (Way::Overlay, None),
                Err(why) => (Way::Copy, Some(why)),
            },
        };
        self.set_way(way);
        let why = why.map(|why| {
            format!(
                "commands work in a copy of the workspace, because no overlay can be mounted: {why}"
            )
        });
        (way, why.into_iter().collect())
    }

    fn set_way(&self, way: Way) {
        *self.way.lock().unwrap_or_else(PoisonError::into_inner) = Some(way);
    }

    fn try_overlay(&self, root: &Path, sandbox: &Sandbox) -> Result<(), String> {
        let view = |folder: &Path| {
            let view = View::empty(root, folder)?;
            let mounts = view.mounts()?;
            io::Result::Ok((view, mounts))
        };
        let (folder, _temporary) = self.view_folder().map_err(|error| error.to_string())?;
        let (_view, mounts) = view(&folder).map_err(|error| error.to_string())?;
        sandbox.try_overlay(&mounts)
    }

    /// Finishes the work of a run that was killed after its command.
    pub(super) fn tidy(&self) {
        if let Some(own) = &self.rights.own {
            view::tidy(&own.join(VIEW));
        }
    }

    fn view_folder(&self) -> io::Result<(PathBuf, Option<Temporary>)> {
        match &self.rights.own {
            Some(own) => Ok((own.join(VIEW), None)),
            None => {
                let temporary = Temporary::new();
                Ok((temporary.0.join(VIEW), Some(temporary)))
            }
        }
    }
}

/// Temporary folder for a view, used if the agent has no folder of its own.
#[cfg(target_os = "linux")]
struct Temporary(PathBuf);

#[cfg(target_os = "linux")]
impl Temporary {
    fn new() -> Self {
        Self(std::env::temp_dir().join(super::random_name()))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Temporary {
    fn drop(&mut self) {
        view::tidy(&self.0);
    }
}

/// Returns true if a program says that it cannot move a folder (`EXDEV`, which an overlay answers for its lower folders).
#[cfg(target_os = "linux")]
fn says_cannot_move(output: &[u8]) -> bool {
    let output = String::from_utf8_lossy(output);
    ["EXDEV", "cross-device link", "os error 18", "Errno 18"]
        .iter()
        .any(|words| output.contains(words))
}

#[cfg(target_os = "linux")]
const CANNOT_MOVE: &str = "a program could not move a folder in the view, so the command was run again in a copy of the workspace, \
                           where later commands run as well";
#[cfg(target_os = "linux")]
const VIEW: &str = "view";

#[cfg(not(target_os = "linux"))]
impl Commands {
    /// Runs the script as it is: this system has no sandbox.
    fn confined(
        &self,
        root: &Path,
        sandbox: &Sandbox,
        (script, _): (&str, &Path),
    ) -> io::Result<(shell::Ran, Vec<String>)> {
        let sandbox = Some((sandbox, &Mounts::default()));
        Ok((
            shell::run_in(script, root, Limits::default(), sandbox)?,
            Vec::new(),
        ))
    }

    /// Does nothing: a killed run leaves nothing to tidy up.
    pub(super) fn tidy(&self) {}
}

#[cfg(all(test, not(target_os = "linux")))]
mod tests {
    use super::*;

    /// macOS and Windows have no sandbox here.
    #[test]
    fn without_a_sandbox_commands_are_refused_and_it_is_said_before_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let commands = Commands::default();
        let words = commands.in_words(folder.path());
        assert!(
            words.contains("on Linux alone") && words.contains("--sandbox none"),
            "{words}"
        );
        let refused = commands
            .run(folder.path(), "echo x > ran", folder.path())
            .unwrap_err();
        assert_eq!(refused.to_string(), words);
        assert!(!folder.path().join("ran").exists());
        let rights = Rights {
            confinement: Confinement::None,
            ..Rights::default()
        };
        let ran = Commands::new(rights)
            .run(folder.path(), "echo x > ran", folder.path())
            .unwrap();
        assert!(ran.success && folder.path().join("ran").exists());
    }
}
