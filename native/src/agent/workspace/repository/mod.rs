//! Lets a command change repositories: it works on copies, and its changes are reviewed before they are kept.
//!
//! ```text
//!   .git ──copy──► what the command sees as .git ──compare──► commits, branches, the index   stay
//!                  (objects: only new ones)                   hooks, settings, all the rest   stay if the person says so
//! ```
//!
//! While the command runs, the real repository is unchanged, so neither git nor the user's editor obeys anything
//! unseen. New objects are added as they are, and never replace existing ones.

mod compare;
mod copy;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use compare::Change;
use copy::{Copy, Snapshot};

use super::{GitChange, Review};
use crate::agent::shell::Mounts;

/// Copies of repositories for one command.
#[derive(Debug)]
pub(super) struct Lifted {
    copies: Vec<Copy>,
    folder: PathBuf,
}

impl Lifted {
    /// Copies these repositories' folders below `folder`, and lets the command see the copies in their places.
    ///
    /// # Errors
    /// A repository cannot be copied, or is too large for it.
    pub(super) fn of(gits: &[PathBuf], folder: PathBuf, mounts: &mut Mounts) -> io::Result<Self> {
        // Of a run that was killed.
        let _ = fs::remove_dir_all(&folder);
        let mut lifted = Self {
            copies: Vec::new(),
            folder,
        };
        for (number, real) in gits.iter().enumerate() {
            let copy = Copy::make(real, &lifted.folder.join(number.to_string()))?;
            mounts.read_only.retain(|path| path != real);
            // Of sockets there is no copy.
            mounts.hidden.retain(|path| !path.starts_with(real));
            mounts.replaced.push((copy.path.clone(), real.clone()));
            mounts.shown.extend(copy.shown());
            lifted.copies.push(copy);
        }
        Ok(lifted)
    }

    /// Applies the command's changes: ordinary ones always, others if the user agrees. Returns a description of the
    /// outcome.
    pub(super) fn take_over(self, root: &Path, gitlinks: &[String], review: Review) -> Vec<String> {
        let mut said = Vec::new();
        for copy in &self.copies {
            match take_over(copy, root, gitlinks, review) {
                Ok(more) => said.extend(more),
                Err(error) => said.push(format!(
                    "none of its changes in {} are kept: {error}",
                    from(root, &copy.real)
                )),
            }
        }
        let _ = fs::remove_dir_all(&self.folder);
        said
    }
}

fn take_over(
    copy: &Copy,
    root: &Path,
    gitlinks: &[String],
    review: Review,
) -> io::Result<Option<String>> {
    let name = from(root, &copy.real);
    // The index that was asked for them is that of the workspace itself.
    let is_roots = copy.real.parent().is_some_and(|top| root.starts_with(top));
    let gitlinks = if is_roots { gitlinks } else { &[] };
    let now = Snapshot::of(&copy.path)?;
    let changes = compare::of_copy(copy, &now);
    let objects = copy.new_objects()?;
    if changes.is_empty() && objects.is_empty() {
        return Ok(None);
    }
    if Snapshot::of(&copy.real)? != copy.base {
        return Err(io::Error::other(
            "another program has changed it in the meantime",
        ));
    }
    let is_ordinary =
        |change: &Change| change.is_ordinary() && (gitlinks.is_empty() || !change.is_index());
    let (ordinary, obeyed): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_ordinary);
    let shown = |change: &Change| match change.is_index() {
        true => linked(&name, gitlinks),
        false => change.shown(copy, &name),
    };
    let shown: Vec<_> = obeyed.iter().map(shown).collect();
    let stays = shown.is_empty() || review(&shown);
    copy.complete()?;
    copy.keep_objects(&objects)?;
    let kept = ordinary.iter().chain(obeyed.iter().filter(|_| stays));
    let kept = kept.map(|change| {
        change
            .keep(copy)
            .map(|()| change.path.display().to_string())
    });
    let kept = kept.collect::<io::Result<Vec<_>>>()?;
    let mut said = format!("changed in {name}: {} new objects", objects.len());
    kept.iter().for_each(|path| said += &format!(", {path}"));
    if !stays {
        let names: Vec<_> = shown.iter().map(|change| change.path.as_str()).collect();
        said += &format!(
            "; the person rejected these changes, which git would obey: {}",
            names.join(", ")
        );
    }
    Ok(Some(said))
}

/// Describes an index that lists other repositories, which git enters at each status.
fn linked(name: &str, gitlinks: &[String]) -> GitChange {
    GitChange {
        path: format!("{name}/index"),
        text: format!("other repositories in it: {}\n", gitlinks.join(", ")),
    }
}

/// Formats a path, relative to the workspace if it is inside.
fn from(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests;
