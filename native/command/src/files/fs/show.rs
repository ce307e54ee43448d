//! `flylead fs ls`, `tree`, `cat`, `stat`, `df`, `sha256`: commands that only show files.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use clap::Args;
use flylead_core::{
    board::{Entry, EntryKind},
    to_hexadecimal,
};
use flylead_native::{Board, BoardError};
use indicatif::HumanBytes;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256 as Sha256Digest};

use super::{
    Bar, Common, Exit, Failure, at, join, on_board,
    remote::{entry, missing},
};
use crate::terminal::{ContentPrinter, name, print};

/// List directories
#[derive(Debug, Args)]
pub(crate) struct Ls {
    /// Directories or files on the board [default: its current directory]
    #[arg(value_parser = on_board, default_value = ":", hide_default_value = true)]
    paths: Vec<String>,
    /// List sizes, which is always done
    #[arg(short, long, hide = true)]
    long: bool,
}

/// List everything below a directory
#[derive(Debug, Args)]
pub(crate) struct Tree {
    /// A directory on the board [default: its current directory]
    #[arg(value_parser = on_board, default_value = ":", hide_default_value = true)]
    path: String,
    /// Show the size of each file, in bytes
    #[arg(short, long)]
    size: bool,
    /// Show sizes in KiB and MiB
    #[arg(long, conflicts_with = "size")]
    human: bool,
}

/// Write files to stdout as they arrive
///
/// The output is compared with the board's hash at the end: exit code 5 means that it differs.
#[derive(Debug, Args)]
pub(crate) struct Cat {
    /// Files on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
}

/// Show the kind and size of a file or directory
#[derive(Debug, Args)]
pub(crate) struct Stat {
    /// A file or directory on the board
    #[arg(value_parser = on_board)]
    path: String,
}

/// Show how much space is free
#[derive(Debug, Args)]
pub(crate) struct Df {
    /// Any path on the file system
    #[arg(value_parser = on_board, default_value = "/")]
    path: String,
}

/// Print the hashes of files, computed by the board if it can
#[derive(Debug, Args)]
pub(crate) struct Sha256 {
    /// Files on the board
    #[arg(value_parser = on_board, required = true)]
    paths: Vec<String>,
}

impl Ls {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let many = self.paths.len() > 1;
        for path in &self.paths {
            let entries = list(board, path, common.json).await?;
            if common.json {
                let entries: Value = entries.iter().map(as_json).collect();
                print(format!("{}\n", json!({ "path": path, "entries": entries })))?;
                continue;
            }
            if many {
                print(format!(":{path}\n"))?;
            }
            print(entries.iter().map(as_line).collect::<String>())?;
        }
        Ok(Exit::Done)
    }
}

/// Returns a directory's entries, or that of the file itself.
async fn list(board: &mut Board, path: &str, times: bool) -> Result<Vec<Entry>, Failure> {
    if !path.trim_end_matches('/').is_empty() {
        let found = entry(board, path).await?.ok_or_else(|| missing(path))?;
        if found.kind == EntryKind::File {
            return Ok(vec![found]);
        }
    }
    let listed = match times {
        true => board.list(path).await,
        false => board.list_without_times(path).await,
    };
    listed.map_err(at(path))
}

impl Tree {
    fn sizes(&self) -> Sizes {
        match (self.size, self.human) {
            (true, _) => Some(|size| size.to_string()),
            (_, true) => Some(|size| HumanBytes(size).to_string()),
            (false, false) => None,
        }
    }

    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let entries = board
            .tree(&self.path, false)
            .await
            .map_err(at(&self.path))?;
        let text = match common.json {
            true => format!("{}\n", entries.iter().map(as_json).collect::<Value>()),
            false => format!(":{}\n{}", self.path, draw(&entries, self.sizes())),
        };
        print(text)?;
        Ok(Exit::Done)
    }
}

impl Cat {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        for path in &self.paths {
            if common.json {
                let content = board.read(path, |_| ()).await.map_err(at(path))?;
                print(format!("{}\n", content_as_json(path, &content)))?;
                continue;
            }
            let mut shown = ContentPrinter::default();
            let mut reading = board.read_stream(path).await.map_err(at(path))?;
            while let Some(piece) = reading.next().await.map_err(at(path))? {
                shown.print(&piece)?;
            }
            shown.finish()?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the content as text if it is UTF-8, or else as base64.
fn content_as_json(path: &str, content: &[u8]) -> Value {
    match str::from_utf8(content) {
        Ok(text) => json!({ "path": path, "bytes": content.len(), "text": text }),
        Err(_) => json!({
            "path": path, "bytes": content.len(), "base64": BASE64_STANDARD.encode(content),
        }),
    }
}

impl Stat {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let found = entry(board, &self.path).await?;
        let entry = found.ok_or_else(|| missing(&self.path))?;
        let text = match common.json {
            true => format!("{}\n", as_json(&entry)),
            false => as_line(&entry),
        };
        print(text)?;
        Ok(Exit::Done)
    }
}

impl Df {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let space = board.space(&self.path).await.map_err(at(&self.path))?;
        let used = space.total - space.free.min(space.total);
        let text = match common.json {
            true => format!(
                "{}\n",
                json!({ "total": space.total, "used": used, "free": space.free })
            ),
            false => format!(
                "{} free of {}, {} % used\n",
                HumanBytes(space.free),
                HumanBytes(space.total),
                100 * used / space.total.max(1),
            ),
        };
        print(text)?;
        Ok(Exit::Done)
    }
}

impl Sha256 {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let bar = Bar::new(common, "hashing", None);
        for path in &self.paths {
            let hash = to_hexadecimal(&sha256(board, path).await.map_err(at(path))?);
            let text = match common.json {
                true => format!("{}\n", json!({ "path": path, "sha256": hash })),
                false => format!("{hash}  :{path}\n"),
            };
            bar.clear();
            print(text)?;
        }
        Ok(Exit::Done)
    }
}

/// Returns a file's hash: computed by the board, or here from the file's content if the board has no SHA-256.
async fn sha256(board: &mut Board, path: &str) -> Result<[u8; 32], BoardError> {
    match board.capabilities().await?.sha256 {
        true => board.sha256(path).await,
        false => Ok(Sha256Digest::digest(board.read(path, |_| ()).await?).into()),
    }
}

fn as_json(entry: &Entry) -> Value {
    json!({
        "name": entry.name,
        "kind": match entry.kind {
            EntryKind::File => "file",
            EntryKind::Directory => "directory",
        },
        "size": entry.size,
        "modified": entry.modified,
    })
}

/// Returns a line with the size and the name; a directory's name ends with a slash.
fn as_line(entry: &Entry) -> String {
    match entry.kind {
        EntryKind::File => format!("{:>10}  {}\n", entry.size, name(&entry.name)),
        EntryKind::Directory => format!("{:>10}  {}/\n", "", name(&entry.name)),
    }
}

/// Format of the sizes, if they are shown.
type Sizes = Option<fn(u64) -> String>;

/// Returns the entries as a tree; their names are paths, in order.
fn draw(entries: &[Entry], sizes: Sizes) -> String {
    let mut text = String::new();
    draw_below("", "", entries, sizes, &mut text);
    text
}

fn draw_below(directory: &str, indent: &str, entries: &[Entry], sizes: Sizes, text: &mut String) {
    let children: Vec<_> = entries
        .iter()
        .filter(|entry| is_child(directory, &entry.name))
        .collect();
    for (index, entry) in children.iter().enumerate() {
        let is_last = index + 1 == children.len();
        let (branch, below) = if is_last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        let name = name(entry.name.rsplit('/').next().unwrap_or(&entry.name));
        let slash = if entry.kind == EntryKind::Directory {
            "/"
        } else {
            ""
        };
        let size = sizes.map(|write| match entry.kind {
            EntryKind::File => format!("[{:>9}]  ", write(entry.size)),
            EntryKind::Directory => String::new(),
        });
        let size = size.unwrap_or_default();
        text.push_str(&format!("{indent}{branch}{size}{name}{slash}\n"));
        if entry.kind == EntryKind::Directory {
            draw_below(
                &entry.name,
                &format!("{indent}{below}"),
                entries,
                sizes,
                text,
            );
        }
    }
}

fn is_child(directory: &str, name: &str) -> bool {
    let parent = name.rsplit_once('/').map_or("", |(parent, _)| parent);
    parent == directory && join(directory, name) != directory
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: EntryKind) -> Entry {
        Entry {
            name: name.into(),
            kind,
            size: 3,
            modified: None,
            sha256: None,
        }
    }

    #[test]
    fn a_tree_is_drawn_with_its_branches() {
        let entries = [
            entry("lib", EntryKind::Directory),
            entry("lib/a.py", EntryKind::File),
            entry("lib/sub", EntryKind::Directory),
            entry("lib/sub/b.py", EntryKind::File),
            entry("main.py", EntryKind::File),
        ];
        assert_eq!(
            draw(&entries, None),
            "├── lib/\n│   ├── a.py\n│   └── sub/\n│       └── b.py\n└── main.py\n"
        );
    }
}
