//! A folder's commands: in a sandbox, with what others obey by itself kept from them.

use std::{
    cell::OnceCell,
    io,
    path::{Path, PathBuf},
};

use super::{Ran, ended};
#[cfg(not(target_os = "linux"))]
use crate::shell::Mounts;
use crate::shell::{self, Limits, Options, Sandbox};

/// What commands run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Confinement {
    /// bubblewrap's sandbox. Where there is none, commands are refused.
    #[default]
    Bubblewrap,
    /// What Landlock holds by itself.
    Landlock,
    /// Nothing: they may do whatever the person may.
    None,
}

/// Something of a repository that a command changed, and that git obeys.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitChange {
    /// Where it is, from the workspace.
    pub path: String,
    /// How it differs, as a unified diff, or what can be said of it.
    pub text: String,
}

/// Shows a person what git will obey, and asks whether it stays.
pub type Review = fn(&[GitChange]) -> bool;

/// What a folder's commands may do.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    /// What they run in.
    pub confinement: Confinement,
    /// Whether they may use the network.
    pub network: bool,
    /// In bubblewrap's sandbox: they may change repositories, if this agrees to what git will obey of it.
    pub git: Option<Review>,
    /// Where tools keep what they load, and where what is put aside goes. `None`: nothing is kept, and it goes below
    /// `.flylead` in the folder.
    pub own: Option<PathBuf>,
}

/// A folder's commands.
#[derive(Debug, Default)]
pub(super) struct Commands {
    rights: Rights,
    sandbox: OnceCell<Result<Sandbox, String>>,
}

impl Commands {
    pub(super) fn new(rights: Rights) -> Self {
        Self {
            rights,
            sandbox: OnceCell::new(),
        }
    }

    pub(super) fn run(&self, root: &Path, script: &str) -> io::Result<Ran> {
        let Some(sandbox) = self.sandbox(root) else {
            let ran = shell::run_in(script, root, Limits::default(), None)?;
            return Ok(ended::in_words(script, ran));
        };
        let sandbox = sandbox.map_err(|why| io::Error::other(refused(why)))?;
        let (ran, notes) = self.guarded(root, sandbox, script)?;
        let hint = (!is_success(&ran))
            .then(|| sandbox.hint(&ran.output))
            .flatten();
        let mut ran = ended::in_words(script, ran);
        ran.notes.extend(notes.into_iter().chain(hint));
        Ok(ran)
    }

    /// The sandbox, or why there is none. `None`: none is wanted.
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

    /// What holds, in words for a person.
    pub(super) fn in_words(&self, root: &Path) -> String {
        let words = match self.sandbox(root) {
            None => format!(
                "commands run in {} WITHOUT a sandbox: they may do whatever you may",
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
    format!("commands are refused, because there is no sandbox for them: {why}. {less}")
}

/// The repositories that an index has in it (git-ls-files(1): `MODE OBJECT STAGE<tab>PATH`).
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
    /// Runs a command with the guard before and after it. Answers what the guard says too.
    fn guarded(
        &self,
        root: &Path,
        sandbox: &Sandbox,
        script: &str,
    ) -> io::Result<(shell::Ran, Vec<String>)> {
        use super::guard::Guard;
        let mut notes = self.tidy(root);
        let mut guard = Guard::before(root)?;
        let review = self.rights.git.filter(|_| sandbox.has_mounts());
        let copies = review
            .and(self.rights.own.as_ref())
            .map(|own| own.join("git"));
        let lifted = copies.map(|copies| guard.lift_git(copies)).transpose()?;
        let known = self.known_path();
        if let Some(path) = &known {
            std::fs::write(path, serde_json::to_vec(guard.known())?)?;
        }
        let run = |script| {
            shell::run_in(
                script,
                root,
                Limits::default(),
                Some((sandbox, guard.mounts())),
            )
        };
        let linked = || match &lifted {
            Some(_) => run(LIST_INDEX).map_or_else(|_| Vec::new(), |ran| gitlinks(&ran.output)),
            None => Vec::new(),
        };
        let before = linked();
        let ran = run(script);
        notes.extend(guard.open());
        let mut after = linked();
        after.retain(|path| !before.contains(path));
        if let (Some(lifted), Some(review)) = (lifted, review) {
            notes.extend(lifted.take_over(root, &after, review));
        }
        notes.extend(guard.after(&self.aside(root), review));
        if let Some(path) = known {
            std::fs::remove_file(path)?;
        }
        Ok((ran?, notes))
    }

    /// Does what a run that was killed could not do after its command. Answers what was put aside.
    pub(super) fn tidy(&self, root: &Path) -> Vec<String> {
        use super::guard::{Known, remove_stand_ins};
        remove_stand_ins(root);
        let Some(path) = self.known_path() else {
            return Vec::new();
        };
        let known = std::fs::read(&path).ok();
        let known = known.and_then(|known| serde_json::from_slice::<Known>(&known).ok());
        let said = known.map_or_else(Vec::new, |known| known.sweep(root, &self.aside(root), None));
        // It is not there as a rule.
        let _ = std::fs::remove_file(path);
        said
    }

    /// What was in the workspace before the command that runs.
    fn known_path(&self) -> Option<PathBuf> {
        self.rights.own.as_ref().map(|own| own.join("before.json"))
    }

    fn aside(&self, root: &Path) -> PathBuf {
        match &self.rights.own {
            Some(own) => own.join("aside"),
            None => root.join(super::OWN).join("aside"),
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Commands {
    /// There is no sandbox on this system, so nothing is guarded.
    fn guarded(
        &self,
        root: &Path,
        sandbox: &Sandbox,
        script: &str,
    ) -> io::Result<(shell::Ran, Vec<String>)> {
        let sandbox = Some((sandbox, &Mounts::default()));
        Ok((
            shell::run_in(script, root, Limits::default(), sandbox)?,
            Vec::new(),
        ))
    }

    /// There is nothing to do after a run that was killed.
    pub(super) fn tidy(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }
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
        let refused = commands.run(folder.path(), "echo x > ran").unwrap_err();
        assert_eq!(refused.to_string(), words);
        assert!(!folder.path().join("ran").exists());
        let rights = Rights {
            confinement: Confinement::None,
            ..Rights::default()
        };
        let ran = Commands::new(rights)
            .run(folder.path(), "echo x > ran")
            .unwrap();
        assert!(ran.success && folder.path().join("ran").exists());
    }
}
