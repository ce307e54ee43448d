//! `flylead fs sync`

use std::{collections::BTreeMap, fs, path::Path};

use clap::Args;
use flylead::Board;
use flylead_core::board::{Entry, EntryKind, Request};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    Common, Exit, Failure, Item, Place, at,
    copy::{below, download_file, here, local_tree},
    join, send, with_parents,
};
use crate::cmd::program::print;

/// Make a directory on one side like one on the other, sending only what differs
///
/// Files are compared by their hashes. What the target has and the source has not stays, unless --delete is said.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead fs sync src :            what differs in src, to the board
  flylead fs sync --delete src :app
  flylead fs sync : backup         the whole board, to a folder here")]
pub(crate) struct Sync {
    /// The directory to take from; a colon marks the board's side
    from: Place,
    /// The directory to change
    to: Place,
    /// Remove what the source does not have
    #[arg(long)]
    delete: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// What has to be done, by names relative to both roots.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    copy: Vec<String>,
    remove: Vec<String>,
    unchanged: usize,
}

type Hashes = BTreeMap<String, [u8; 32]>;

impl Sync {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        match (&self.from, &self.to) {
            (Place::Here(from), Place::Board(to)) => self.up(board, common, from, to).await,
            (Place::Board(from), Place::Here(to)) => self.down(board, common, from, to).await,
            _ => Err(Failure::new(
                Exit::Usage,
                "one side must be on the board and one here; a colon marks the board's, as in :lib",
            )),
        }
    }

    async fn up(
        &self,
        board: &mut Board,
        common: &Common,
        from: &Path,
        to: &str,
    ) -> Result<Exit, Failure> {
        let theirs = hashes_there(board, to).await?;
        let plan = Plan::new(&hashes_here(from)?, &theirs, self.delete);
        if !self.dry_run {
            send(board, common, &plan.items(from, to), |item, bytes| {
                common.say(format_args!(":{}, {bytes} bytes", item.path));
                Ok(())
            })
            .await?;
            for path in plan.remove.iter().map(|name| join(to, name)) {
                board
                    .request(Request::Remove { path: path.clone() }, |_| ())
                    .await
                    .map_err(at(&path))?;
            }
        }
        self.report(common, &plan)
    }

    async fn down(
        &self,
        board: &mut Board,
        common: &Common,
        from: &str,
        to: &Path,
    ) -> Result<Exit, Failure> {
        // A name that was mistyped must not look like an empty directory, least of all with --delete.
        let theirs = board.tree(from, true).await.map_err(at(from))?;
        let theirs = theirs.into_iter().filter_map(hash_of).collect();
        let ours = if to.is_dir() {
            hashes_here(to)?
        } else {
            Hashes::new()
        };
        let plan = Plan::new(&theirs, &ours, self.delete);
        if !self.dry_run {
            for name in &plan.copy {
                let place = below(to, name)?;
                let folder = place.parent().unwrap_or(to);
                fs::create_dir_all(folder).map_err(here(folder))?;
                download_file(board, common, &join(from, name), &place, None).await?;
            }
            for name in &plan.remove {
                let place = below(to, name)?;
                fs::remove_file(&place).map_err(here(&place))?;
            }
        }
        self.report(common, &plan)
    }

    fn report(&self, common: &Common, plan: &Plan) -> Result<Exit, Failure> {
        let Plan {
            copy,
            remove,
            unchanged,
        } = plan;
        let text = match common.json {
            true => format!(
                "{}\n",
                json!({ "copied": copy, "removed": remove, "unchanged": unchanged })
            ),
            false => {
                let lines = copy.iter().map(|name| format!("+ {name}\n"));
                let lines = lines.chain(remove.iter().map(|name| format!("- {name}\n")));
                lines.collect::<String>()
                    + &format!(
                        "{} copied, {} removed, {unchanged} unchanged\n",
                        copy.len(),
                        remove.len()
                    )
            }
        };
        print(text.as_bytes())?;
        Ok(Exit::Done)
    }
}

impl Plan {
    fn new(source: &Hashes, target: &Hashes, delete: bool) -> Self {
        let differs = |name: &&String| source.get(*name) != target.get(*name);
        let copy: Vec<_> = source.keys().filter(differs).cloned().collect();
        let is_extra = |name: &&String| delete && !source.contains_key(*name);
        let remove = target.keys().filter(is_extra).cloned().collect();
        Self {
            unchanged: source.len() - copy.len(),
            copy,
            remove,
        }
    }

    /// What is to be sent, and the directories that it needs.
    fn items(&self, from: &Path, to: &str) -> Vec<Item> {
        let files = self.copy.iter();
        with_parents(
            files
                .map(|name| Item::file(join(to, name), from.join(name)))
                .collect(),
        )
    }
}

fn hashes_here(root: &Path) -> Result<Hashes, Failure> {
    let files = local_tree(root)?
        .into_iter()
        .filter(|file| !file.is_directory);
    files
        .map(|file| {
            let path = root.join(&file.name);
            let data = fs::read(&path).map_err(here(&path))?;
            Ok((file.name, Sha256::digest(data).into()))
        })
        .collect()
}

/// The files below a directory of the board; none if there is no such directory.
async fn hashes_there(board: &mut Board, root: &str) -> Result<Hashes, Failure> {
    if !root.trim_end_matches('/').is_empty() && !board.exists(root).await.map_err(at(root))? {
        return Ok(Hashes::new());
    }
    let entries = board.tree(root, true).await.map_err(at(root))?;
    Ok(entries.into_iter().filter_map(hash_of).collect())
}

fn hash_of(entry: Entry) -> Option<(String, [u8; 32])> {
    let is_file = entry.kind == EntryKind::File;
    entry
        .sha256
        .filter(|_| is_file)
        .map(|hash| (entry.name, hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[(&str, u8)]) -> Hashes {
        names
            .iter()
            .map(|&(name, byte)| (name.to_owned(), [byte; 32]))
            .collect()
    }

    #[test]
    fn only_what_differs_is_copied_and_nothing_is_removed_unasked() {
        let source = files(&[("a", 1), ("b", 2), ("c", 3)]);
        let target = files(&[("a", 1), ("b", 9), ("x", 7)]);
        let plan = Plan::new(&source, &target, false);
        assert_eq!(
            plan,
            Plan {
                copy: vec!["b".into(), "c".into()],
                remove: vec![],
                unchanged: 1
            }
        );
        assert_eq!(Plan::new(&source, &target, true).remove, ["x"]);
    }
}
