//! Contents of a folder and of a board's directory, by hashes.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use flylead_core::board::{EntryKind, Error};
use sha2::{Digest as _, Sha256};

use crate::{Board, BoardError};

use super::{Entry, Fault, Kind, Local, Node, Rules, Tree, entries, join};

/// Names that were left out, each with its reason.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Entries that cannot be copied.
    pub refused: Vec<(String, String)>,
    /// Entries that belong to this computer and stay here.
    pub at_home: Vec<(String, String)>,
}

impl Skipped {
    /// Records an entry that cannot be copied.
    pub fn add(&mut self, path: impl ToString, reason: impl ToString) {
        self.refused.push((path.to_string(), reason.to_string()));
    }

    /// Records an entry that stays on this computer.
    pub fn keep(&mut self, path: impl ToString, reason: impl ToString) {
        self.at_home.push((path.to_string(), reason.to_string()));
    }
}

/// Local folder to send to a board.
#[derive(Debug, Default)]
pub struct Source {
    /// The folder.
    pub root: PathBuf,
    /// Entries by their names on the board.
    pub tree: Tree,
    /// Content of entries that differ from their files in the folder.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// Total size of all files, in bytes.
    pub bytes: u64,
}

impl Source {
    /// Reads a folder. Entries that cannot be sent are noted in `skipped`, and their namesakes are not removed from the
    /// board.
    ///
    /// # Errors
    /// The folder itself cannot be read.
    pub fn read(root: &Path, rules: Rules, skipped: &mut Skipped) -> Result<Self, Fault> {
        let wrong = |error| Fault::Here(root.to_owned(), error);
        let mut source = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        for local in entries(root, rules, skipped).map_err(wrong)? {
            let node = source.node(&local, skipped);
            let is_linked = local.is_linked;
            source.tree.insert(local.name, Entry { node, is_linked });
        }
        Ok(source)
    }

    fn node(&mut self, local: &Local, skipped: &mut Skipped) -> Node {
        match local.kind {
            Kind::Directory => Node::Directory,
            Kind::Kept => Node::Kept,
            Kind::File => {
                let path = self.root.join(&local.name);
                match hash(&path) {
                    Ok((hash, bytes)) => {
                        self.bytes += bytes;
                        Node::File(hash)
                    }
                    Err(error) => {
                        skipped.add(path.display(), error);
                        Node::Kept
                    }
                }
            }
        }
    }

    /// Adds a file that is in no local folder, and the directories it needs.
    pub fn add(&mut self, name: String, content: Vec<u8>) {
        let is_linked = false;
        for (end, _) in name.match_indices('/') {
            let node = Node::Directory;
            let directory = self.tree.entry(name[..end].to_owned());
            directory.or_insert(Entry { node, is_linked });
        }
        let node = Node::File(Sha256::digest(&content).into());
        self.tree.insert(name.clone(), Entry { node, is_linked });
        self.contents.insert(name, content);
    }

    /// Gives an entry another name and content, as a compiler does.
    ///
    /// # Errors
    /// Another entry has that name.
    pub fn replace(&mut self, name: &str, becomes: String, content: Vec<u8>) -> Result<(), Fault> {
        let Some(entry) = self.tree.remove(name) else {
            return Ok(());
        };
        if self.tree.contains_key(&becomes) {
            return Err(Fault::Collision(becomes));
        }
        let node = Node::File(Sha256::digest(&content).into());
        self.contents.remove(name);
        self.tree.insert(becomes.clone(), Entry { node, ..entry });
        self.contents.insert(becomes, content);
        Ok(())
    }
}

/// Returns SHA-256 and length of a file.
fn hash(path: &Path) -> io::Result<([u8; 32], u64)> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let (mut piece, mut bytes) = (vec![0; 64 * 1024], 0);
    loop {
        let length = io::Read::read(&mut file, &mut piece)?;
        if length == 0 {
            return Ok((hasher.finalize().into(), bytes));
        }
        hasher.update(&piece[..length]);
        bytes += length as u64;
    }
}

/// Reads the tree below a directory of the board; it is empty if the directory does not exist, or is a file.
///
/// # Errors
/// The board is lost, or refuses to list the directory.
pub async fn tree_there(board: &mut Board, root: &str) -> Result<Tree, Fault> {
    let listed = match board.tree(root, true).await {
        Err(BoardError::File(Error::NotFound | Error::NotDirectory)) => return Ok(Tree::new()),
        // A board without directories has no directory of this name.
        Err(BoardError::File(Error::Unsupported { .. })) if !is_root(root) => {
            return Ok(Tree::new());
        }
        listed => listed.map_err(Fault::at(root))?,
    };
    let mut tree = Tree::new();
    for entry in listed {
        let node = match (entry.kind, entry.sha256) {
            (EntryKind::Directory, _) => Node::Directory,
            (EntryKind::File, Some(hash)) => Node::File(hash),
            // A board without SHA-256 is a small one.
            (EntryKind::File, None) => {
                let path = join(root, &entry.name);
                let content = board.read(&path, |_| ()).await;
                let content = content.map_err(Fault::at(path))?;
                Node::File(Sha256::digest(content).into())
            }
        };
        let is_linked = false;
        tree.insert(entry.name, Entry { node, is_linked });
    }
    Ok(tree)
}

fn is_root(path: &str) -> bool {
    path.trim_end_matches('/').is_empty()
}
