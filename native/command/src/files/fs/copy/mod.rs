//! `flylead fs cp`

pub(crate) mod copied;
mod single;
pub(crate) mod skipped;
mod unchanged;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use flylead_native::{
    Board,
    deploy::{Kind, Rules, entries},
};

use super::{
    Common, Compiler, Content, Exit, Failure, Item, Mpy, Place, Skipped, at, directories,
    fetch::Fetcher,
    here, join,
    local::{Chosen, read_local},
    remote::{Target, base_name, look, missing, no_directory_for_several},
    send,
};

/// Copy files to the board, from it, or on it
///
/// The target is an existing directory or a new name; multiple sources require a directory. A source that ends in a slash
/// stands for its content. Links are followed within the directory that you name. Entries of a directory that cannot be
/// copied are listed at the end, with exit code 6.
#[derive(Debug, Args)]
#[command(
    override_usage = "flylead fs cp [OPTIONS] <SOURCE>... <TARGET>",
    after_help = "Examples:
  flylead fs cp main.py boot.py :  to the board's current directory
  flylead fs cp :log.csv here.csv  from the board
  flylead fs cp ':*.csv' .         all that match on the board
  flylead fs cp -r src/ :          the contents of src, to the board
  flylead fs cp :a.py :old.py      on the board"
)]
pub(crate) struct Cp {
    /// Paths to copy, followed by the target; a colon marks the board's side
    #[arg(required = true, num_args = 2.., value_name = "PATH")]
    paths: Vec<Place>,
    /// Copy directories with their content
    #[arg(short, long)]
    recursive: bool,
    /// Also write files that the board already has
    #[arg(long)]
    force: bool,
    /// Remove the old file before the new one is sent, for a board without space for both: the old file is lost if the
    /// new one does not arrive
    #[arg(long)]
    in_place: bool,

    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    mpy: Mpy,
}

/// Sides of source and target.
enum Sides {
    Up(Vec<PathBuf>, String),
    Down(Vec<String>, PathBuf),
    OnBoard(Vec<String>, String),
}

impl Cp {
    pub(crate) async fn run(mut self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        let mut skipped = Skipped::default();
        match sides(std::mem::take(&mut self.paths))? {
            Sides::Up(from, to) => {
                if self.force {
                    board.rewrite_all().await?;
                }
                let is_plain = !(self.in_place || self.mpy.is_wanted());
                if is_plain && single::send(board, common, &from, &to).await? {
                    return skipped.report(common);
                }
                let compiler = self.mpy.compiler(board).await?;
                let target = Target::find(board, &to, from.len()).await?;
                let items = self.items(&target, &from, &mut skipped, compiler).await?;
                let is_tree = items.iter().any(|item| item.from().is_none());
                let (items, unchanged) = match self.force {
                    true => (items, Vec::new()),
                    false => unchanged::part(board, items, target.known()).await?,
                };
                for (item, bytes) in &unchanged {
                    tell_sent(common, item, *bytes)?;
                }
                let skipped = is_tree.then_some(&mut skipped);
                let tell = |item: &Item, bytes| tell_sent(common, item, bytes);
                send(board, common, &items, skipped, tell).await?;
            }
            Sides::Down(from, to) => {
                if !self.recursive && single::fetch(board, common, &from, &to).await? {
                    return skipped.report(common);
                }
                let from = matching(board, from).await?;
                let copies = self.downloads(board, &from, &to).await?;
                let mut fetcher = Fetcher {
                    board,
                    common,
                    skipped: &mut skipped,
                    in_place: false,
                };
                for (from, to, size) in copies {
                    match size {
                        Some(size) => fetcher.download(&from, &to, size).await?,
                        None => fetcher.download_tree(&from, &to).await?,
                    }
                }
            }
            Sides::OnBoard(from, to) => {
                let from = matching(board, from).await?;
                let copies = self.duplicates(board, &from, &to).await?;
                let mut fetcher = Fetcher {
                    board,
                    common,
                    skipped: &mut skipped,
                    in_place: self.in_place,
                };
                for (from, to, is_directory) in copies {
                    match is_directory {
                        true => fetcher.duplicate_tree(&from, &to).await?,
                        false => fetcher.duplicate(&from, &to).await?,
                    }
                }
            }
        }
        skipped.report(common)
    }

    /// Lists the items to send, with their paths on the board.
    async fn items(
        &self,
        target: &Target,
        sources: &[PathBuf],
        skipped: &mut Skipped,
        compiler: Option<Compiler>,
    ) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        for from in sources {
            let metadata = fs::metadata(from).map_err(here(from))?;
            let contents_alone = metadata.is_dir() && stands_for_contents(from);
            let path = target.path_for(&name_of(from)?, contents_alone);
            if metadata.is_dir() {
                self.check_recursive(&from.display())?;
                items.extend(tree_items(from, &path, self.chosen.rules(), skipped)?);
            } else if metadata.is_file() {
                items.push(Item::file(path, from.clone()));
            } else {
                let content = Content::Bytes(read_local(from).await?, from.clone());
                items.push(Item::new(path, content));
            }
        }
        if let Some(compiler) = compiler {
            items = compiler.compile_items(items).await?;
        }
        let files = items
            .iter()
            .filter_map(|item| Some((item.path.as_str(), item.from()?.display())));
        refuse_collisions(":", files)?;
        for item in &mut items {
            item.in_place = self.in_place;
        }
        Ok(items)
    }

    /// Lists the items to fetch: source, target, and the size of a file; `None` for a directory.
    async fn downloads(
        &self,
        board: &mut Board,
        sources: &[String],
        to: &Path,
    ) -> Result<Vec<(String, PathBuf, Option<u64>)>, Failure> {
        if sources.len() > 1 && !to.is_dir() {
            let remedy = "make it first";
            return Err(no_directory_for_several(&to.display(), to.exists(), remedy));
        }
        let mut copies = Vec::new();
        for from in sources {
            let found = look(board, from).await?.ok_or_else(|| missing(from))?;
            if found.is_directory() {
                self.check_recursive(&format_args!(":{from}"))?;
            }
            let contents_alone = found.is_directory() && stands_for_contents_there(from);
            let target = match to.is_dir() && !contents_alone {
                true => to.join(base_name(from)),
                false => to.to_owned(),
            };
            let size = (!found.is_directory()).then_some(found.size);
            copies.push((from.clone(), target, size));
        }
        let files = copies.iter().filter(|(_, _, size)| size.is_some());
        let files: Vec<_> = files
            .map(|(from, to, _)| (to.to_string_lossy(), format!(":{from}")))
            .collect();
        refuse_collisions("", files.iter().map(|(to, from)| (&**to, from)))?;
        Ok(copies)
    }

    /// Lists the items to copy on the board: source, target, and true for a directory.
    async fn duplicates(
        &self,
        board: &mut Board,
        sources: &[String],
        to: &str,
    ) -> Result<Vec<(String, String, bool)>, Failure> {
        let target = Target::find(board, to, sources.len()).await?;
        let mut copies = Vec::new();
        for from in sources {
            let found = look(board, from).await?.ok_or_else(|| missing(from))?;
            let contents_alone = found.is_directory() && stands_for_contents_there(from);
            let path = target.path_for(base_name(from), contents_alone);
            if found.is_directory() {
                self.check_recursive(&format_args!(":{from}"))?;
                refuse_itself(from, &path)?;
            }
            copies.push((from.clone(), path, found.is_directory()));
        }
        let files = copies.iter().filter(|(_, _, is_directory)| !is_directory);
        refuse_collisions(
            ":",
            files.map(|(from, to, _)| (to.as_str(), format!(":{from}"))),
        )?;
        Ok(copies)
    }

    fn check_recursive(&self, path: &dyn std::fmt::Display) -> Result<(), Failure> {
        match self.recursive {
            true => Ok(()),
            false => Err(Failure::new(
                Exit::Usage,
                format!("{path} is a directory; use -r to copy it with its contents"),
            )),
        }
    }
}

/// Splits paths into the sources, all on one side, and the target.
fn sides(mut paths: Vec<Place>) -> Result<Sides, Failure> {
    let refuse = |why: &str| Err(Failure::new(Exit::Usage, why));
    let Some(target) = paths.pop() else {
        return refuse("no target was given");
    };
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for path in paths {
        match path {
            Place::Here(path) => here.push(path),
            Place::Board(path) => there.push(path),
        }
    }
    match (here.is_empty(), there.is_empty(), target) {
        (false, true, Place::Board(to)) => Ok(Sides::Up(here, to)),
        (true, false, Place::Here(to)) => Ok(Sides::Down(there, to)),
        (true, false, Place::Board(to)) => Ok(Sides::OnBoard(there, to)),
        (false, false, _) => {
            refuse("some sources are on the board and some on this computer; copy them separately")
        }
        (_, true, Place::Here(_)) | (true, true, Place::Board(_)) => refuse(
            "both paths are on this computer; prefix board paths with a colon, as in :main.py",
        ),
    }
}

/// Returns the board's files that match `*`, `?` and `[…]` in the last name of a source, which the shell here cannot
/// expand.
async fn matching(board: &mut Board, sources: Vec<String>) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for source in sources {
        let is_name = !source.contains(['*', '?', '[']) || look(board, &source).await?.is_some();
        if is_name {
            found.push(source);
            continue;
        }
        let (folder, pattern) = match source.rfind('/') {
            Some(slash) => (source[..slash.max(1)].to_owned(), &source[slash + 1..]),
            None => (String::new(), source.as_str()),
        };
        let wrong = |error: globset::Error| {
            Failure::new(Exit::Usage, format!(":{source}: {}", error.kind()))
        };
        let matcher = globset::Glob::new(pattern)
            .map_err(wrong)?
            .compile_matcher();
        let entries = board
            .list_without_times(&folder)
            .await
            .map_err(at(&folder))?;
        let names = entries.into_iter().map(|entry| entry.name);
        let mut names: Vec<_> = names.filter(|name| matcher.is_match(name)).collect();
        if names.is_empty() {
            return Err(missing(&source));
        }
        names.sort();
        found.extend(names.iter().map(|name| join(&folder, name)));
    }
    Ok(found)
}

/// Checks that no two files of a copy have the same target.
pub(crate) fn refuse_collisions<'a>(
    side: &str,
    files: impl Iterator<Item = (&'a str, impl std::fmt::Display)>,
) -> Result<(), Failure> {
    let mut targets = BTreeMap::new();
    for (path, from) in files {
        let from = from.to_string();
        if let Some(other) = targets.insert(path.to_owned(), from.clone()) {
            return Err(Failure::new(
                Exit::Usage,
                format!(
                    "{other} and {from} would both become {side}{path}; copy one of them to another name"
                ),
            ));
        }
    }
    Ok(())
}

fn refuse_itself(from: &str, to: &str) -> Result<(), Failure> {
    let path = from.trim_end_matches('/');
    let is_inside = match from {
        "" => !to.starts_with('/'),
        _ => format!("{to}/").starts_with(&format!("{path}/")),
    };
    match is_inside {
        true => Err(Failure::new(
            Exit::Usage,
            format!(":{from} cannot be copied into itself, to :{to}"),
        )),
        false => Ok(()),
    }
}

/// Lists a directory of this computer with all of its content, as items for the board.
pub(crate) fn tree_items(
    from: &Path,
    to: &str,
    rules: Rules,
    skipped: &mut Skipped,
) -> Result<Vec<Item>, Failure> {
    let files = entries(from, rules, &mut skipped.0).map_err(here(from))?;
    let of_kind = |kind| files.iter().filter(move |file| file.kind == kind);
    let folders = of_kind(Kind::Directory).map(|folder| join(to, &folder.name));
    let mut items = directories([to.to_owned()].into_iter().chain(folders));
    items.extend(
        of_kind(Kind::File).map(|file| Item::file(join(to, &file.name), from.join(&file.name))),
    );
    Ok(items)
}

fn tell_sent(common: &Common, item: &Item, bytes: usize) -> Result<(), Failure> {
    match item.from() {
        Some(from) => copied::tell(
            common,
            &from.display().to_string(),
            &format!(":{}", item.path),
            bytes as u64,
        ),
        None => Ok(()),
    }
}

/// Returns true if a directory's name stands for its content rather than for itself.
fn stands_for_contents(path: &Path) -> bool {
    let text = path.to_string_lossy();
    text.ends_with(std::path::is_separator) || text == "."
}

fn stands_for_contents_there(path: &str) -> bool {
    path.is_empty() || path.ends_with('/')
}

/// Returns the last name of a path, even of one that ends in `..`.
fn name_of(path: &Path) -> Result<String, Failure> {
    let real;
    let name = match path.file_name() {
        Some(name) => Some(name),
        None => {
            real = fs::canonicalize(path).map_err(here(path))?;
            real.file_name()
        }
    };
    match name.unwrap_or_default().to_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(Failure::new(
            Exit::Usage,
            format!("{}: the name is not valid UTF-8", path.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_directory_is_copied_into_itself() {
        for (from, to) in [
            ("a", "a"),
            ("a/", "a/b"),
            ("", "x"),
            ("/", "/x"),
            ("/a", "/a/b/c"),
        ] {
            assert!(refuse_itself(from, to).is_err(), "{from} to {to}");
        }
        for (from, to) in [("a", "ab"), ("a/b", "a"), ("a", "b/a"), ("", "/sd/x")] {
            assert!(refuse_itself(from, to).is_ok(), "{from} to {to}");
        }
    }
}
