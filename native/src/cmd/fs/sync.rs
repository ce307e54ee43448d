//! `flylead fs sync`

mod plan;

use std::{collections::BTreeMap, fmt::Display, fs, io, path::Path};

use clap::Args;
use flylead::Board;
use flylead_core::board::{EntryKind, Request};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    Common, Compiler, Content, Exit, Failure, Item, Mpy, Place, Skipped, at, compiled_name,
    confirm, directories,
    fetch::{Fault, Fetcher, make_directory},
    here, join,
    local::{Kind, Links, LocalFile, below, local_tree},
    remote::look,
    send,
    skipped::is_about_one,
};
use crate::cmd::terminal::{self, print};
use plan::{Entry, Node, Plan, Step, Tree};

/// Make a directory on one side like one on the other, sending only what differs
///
/// Files are compared by their hashes. What the target has and the source has not stays, unless --delete is said. What
/// cannot be copied is listed at the end, with exit code 6, and nothing of that name is removed.
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
    /// Let old files on the board make room for new ones: each is removed first, and lost if its new one does not arrive
    #[arg(long)]
    in_place: bool,
    /// Empty the target, if the source is empty, without asking
    #[arg(short, long)]
    force: bool,

    #[command(flatten)]
    links: Links,
    #[command(flatten)]
    mpy: Mpy,
}

impl Sync {
    pub(crate) async fn run(self, board: &mut Board, common: &Common) -> Result<Exit, Failure> {
        match (&self.from, &self.to) {
            (Place::Here(from), Place::Board(to)) => self.up(board, common, from, to).await,
            (Place::Board(from), Place::Here(to)) => self.down(board, common, from, to).await,
            (Place::Here(_), Place::Here(_)) | (Place::Board(_), Place::Board(_)) => {
                Err(Failure::new(
                    Exit::Usage,
                    "one side must be on the board and one here; a colon marks the board's, as in :lib",
                ))
            }
        }
    }

    async fn up(
        &self,
        board: &mut Board,
        common: &Common,
        from: &Path,
        to: &str,
    ) -> Result<Exit, Failure> {
        let mut done = Done::default();
        let mut ours = tree_here(from, self.links, &mut done.skipped)?;
        let compiled = match self.mpy.compiler(board).await? {
            Some(compiler) => compile(&compiler, from, &mut ours).await?,
            None => BTreeMap::new(),
        };
        let theirs = match look(board, to).await? {
            None => Tree::default(),
            Some(_) => tree_there(board, to).await?,
        };
        let plan = Plan::new(&ours, &theirs, self.delete);
        if !self.delete {
            tell_hidden(&compiled, &theirs, to, common);
        }
        if self.dry_run {
            return done.planned(&plan).report(common, &plan);
        }
        self.confirm(&ours, &plan, &format_args!(":{to}"))?;
        remove_there(board, to, &plan.clear, &mut done).await?;
        let steps: BTreeMap<_, _> = plan
            .copy
            .iter()
            .map(|step| (join(to, &step.name), step))
            .collect();
        let Done {
            copied, skipped, ..
        } = &mut done;
        let mut items = items(&plan, from, to, compiled);
        for item in &mut items {
            item.in_place = self.in_place;
        }
        send(board, common, &items, Some(skipped), |item, bytes| {
            common.say(format_args!(":{}, {bytes} bytes", item.path));
            copied.extend(steps.get(&item.path).map(ToString::to_string));
            Ok(())
        })
        .await?;
        remove_there(board, to, &plan.remove, &mut done).await?;
        done.report(common, &plan)
    }

    async fn down(
        &self,
        board: &mut Board,
        common: &Common,
        from: &str,
        to: &Path,
    ) -> Result<Exit, Failure> {
        let mut done = Done::default();
        // A name that was mistyped must not look like an empty directory, least of all with --delete.
        let theirs = tree_there(board, from).await?;
        let ours = match to.is_dir() {
            // What is here and cannot be copied matters to nobody now.
            true => tree_here(to, Links::ALL, &mut Skipped::default())?,
            false => Tree::default(),
        };
        let plan = Plan::new(&theirs, &ours, self.delete);
        if self.dry_run {
            return done.planned(&plan).report(common, &plan);
        }
        self.confirm(&theirs, &plan, &to.display())?;
        remove_here(to, &plan.clear, &mut done);
        fs::create_dir_all(to).map_err(here(to))?;
        for step in &plan.copy {
            let path = join(from, &step.name);
            let mut fetcher = Fetcher {
                board,
                common,
                skipped: &mut done.skipped,
                in_place: false,
            };
            let got = get(&mut fetcher, &path, step, to).await;
            if fetcher.go_on(&path, got)? {
                done.copied.push(step.to_string());
            }
        }
        remove_here(to, &plan.remove, &mut done);
        done.report(common, &plan)
    }

    /// An empty source is mostly a mistake, and empties the target.
    fn confirm(&self, source: &Tree, plan: &Plan, target: &dyn Display) -> Result<(), Failure> {
        let empties = source.is_empty() && !plan.remove.is_empty();
        match empties && !self.force {
            true => confirm(&format_args!(
                "everything in {target}, as the source is empty"
            )),
            false => Ok(()),
        }
    }
}

/// What was done, and what was not.
#[derive(Default)]
struct Done {
    /// True if it is a plan alone.
    is_planned: bool,
    copied: Vec<String>,
    removed: Vec<String>,
    skipped: Skipped,
}

impl Done {
    /// As if all had been done.
    fn planned(mut self, plan: &Plan) -> Self {
        self.copied = plan.copy.iter().map(ToString::to_string).collect();
        let removed = plan.clear.iter().chain(&plan.remove);
        self.removed = removed.map(ToString::to_string).collect();
        self.is_planned = true;
        self
    }

    fn report(self, common: &Common, plan: &Plan) -> Result<Exit, Failure> {
        let Self {
            is_planned,
            copied,
            removed,
            skipped,
        } = self;
        let unchanged = plan.unchanged;
        let text = match common.json {
            true => {
                let mut said = json!({
                    "copied": copied, "removed": removed, "unchanged": unchanged,
                    "skipped": skipped.as_json(),
                });
                if is_planned {
                    said["dry_run"] = true.into();
                }
                format!("{said}\n")
            }
            false => {
                let [copy, remove] = match is_planned {
                    true => ["would copy", "would remove"],
                    false => ["+", "-"],
                };
                let lines = copied.iter().map(|name| (copy, name));
                let lines = lines.chain(removed.iter().map(|name| (remove, name)));
                let lines = lines.map(|(what, name)| format!("{what} {}\n", terminal::name(name)));
                let lines = lines.collect::<String>();
                let (copied, removed) = (copied.len(), removed.len());
                match is_planned {
                    true => format!(
                        "{lines}nothing was done; {copied} to copy, {removed} to remove, {unchanged} unchanged\n"
                    ),
                    false => format!(
                        "{lines}{copied} copied, {removed} removed, {unchanged} unchanged\n"
                    ),
                }
            }
        };
        print(text)?;
        Ok(skipped.list(common))
    }
}

/// What is to be sent, and the directories that it needs.
fn items(plan: &Plan, from: &Path, to: &str, mut compiled: BTreeMap<String, Vec<u8>>) -> Vec<Item> {
    if plan.copy.is_empty() {
        return Vec::new();
    }
    let (folders, files): (Vec<_>, Vec<_>) = plan.copy.iter().partition(|step| step.is_directory);
    let folders = folders.iter().map(|step| join(to, &step.name));
    let mut items = directories([to.to_owned()].into_iter().chain(folders));
    let files = files.iter();
    items.extend(files.map(|step| {
        let (path, from) = (join(to, &step.name), from.join(&step.name));
        match compiled.remove(&step.name) {
            Some(code) => Item::new(path, Content::Bytes(code, from)),
            None => Item::file(path, from),
        }
    }));
    items
}

/// Compiles the sources of a tree, whose entries are those of their code then.
async fn compile(
    compiler: &Compiler,
    root: &Path,
    tree: &mut Tree,
) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut compiled = BTreeMap::new();
    for (name, entry) in std::mem::take(tree) {
        let becomes = match entry.node {
            Node::File(_) => compiled_name(&name),
            Node::Directory | Node::Kept => None,
        };
        let (name, entry) = match becomes {
            None => (name, entry),
            Some(becomes) => {
                let file = root.join(&name);
                let source = fs::read(&file).map_err(here(&file))?;
                let code = compiler
                    .compile(&name, &file.display().to_string(), &source)
                    .await?;
                let node = Node::File(Sha256::digest(&code).into());
                compiled.insert(becomes.clone(), code);
                (becomes, Entry { node, ..entry })
            }
        };
        if tree.insert(name.clone(), entry).is_some() {
            let message = format!("{} would come from two files", root.join(name).display());
            return Err(Failure::new(Exit::Usage, message));
        }
    }
    Ok(compiled)
}

/// MicroPython imports a source rather than the code beside it (`stat_file_py_or_mpy`, py/builtinimport.c).
fn tell_hidden(compiled: &BTreeMap<String, Vec<u8>>, theirs: &Tree, to: &str, common: &Common) {
    let source = |name: &String| name.strip_suffix(".mpy").map(|stem| format!("{stem}.py"));
    for name in compiled.keys().filter_map(source) {
        if theirs.contains_key(&name) {
            let name = join(to, &name);
            common.note(format_args!(
                ":{name} is still there, and is imported in place of what was compiled; --delete removes it"
            ));
        }
    }
}

async fn get(fetcher: &mut Fetcher<'_>, path: &str, step: &Step, to: &Path) -> Result<(), Fault> {
    let place = below(to, &step.name).map_err(Fault::of_name)?;
    match step.is_directory {
        true => make_directory(&place),
        false => fetcher.try_download(path, &place, None).await.map(drop),
    }
}

async fn remove_there(
    board: &mut Board,
    root: &str,
    steps: &[Step],
    done: &mut Done,
) -> Result<(), Failure> {
    for step in steps {
        let path = join(root, &step.name);
        let removed = board.request(Request::Remove { path: path.clone() }, |_| ());
        match removed.await {
            Ok(_) => done.removed.push(step.to_string()),
            Err(error) => match is_about_one(&error) {
                Some(reason) => done.skipped.add(format_args!(":{path}"), reason),
                None => return Err(at(&path)(error)),
            },
        }
    }
    Ok(())
}

fn remove_here(root: &Path, steps: &[Step], done: &mut Done) {
    for step in steps {
        let path = root.join(&step.name);
        match remove(&path) {
            Ok(()) => done.removed.push(step.to_string()),
            Err(error) => done.skipped.add(path.display(), error),
        }
    }
}

/// A link is removed itself, whatever it leads to.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir(path),
        false => fs::remove_file(path),
    }
}

/// What is below a directory of this computer.
fn tree_here(root: &Path, links: Links, skipped: &mut Skipped) -> Result<Tree, Failure> {
    let files = local_tree(root, links, skipped)?;
    let mut tree = Tree::new();
    for LocalFile {
        name,
        kind,
        is_linked,
    } in files
    {
        let node = match kind {
            Kind::Directory => Node::Directory,
            Kind::Skipped => Node::Kept,
            Kind::File => match fs::read(root.join(&name)) {
                Ok(content) => Node::File(Sha256::digest(content).into()),
                Err(error) => {
                    skipped.add(root.join(&name).display(), error);
                    Node::Kept
                }
            },
        };
        tree.insert(name, Entry { node, is_linked });
    }
    Ok(tree)
}

/// What is below a directory of the board.
async fn tree_there(board: &mut Board, root: &str) -> Result<Tree, Failure> {
    let mut tree = Tree::new();
    for entry in board.tree(root, true).await.map_err(at(root))? {
        let node = match (entry.kind, entry.sha256) {
            (EntryKind::Directory, _) => Node::Directory,
            (EntryKind::File, Some(hash)) => Node::File(hash),
            // A board that has no SHA-256 is a small one.
            (EntryKind::File, None) => {
                let path = join(root, &entry.name);
                let content = board.read(&path, |_| ()).await.map_err(at(&path))?;
                Node::File(Sha256::digest(content).into())
            }
        };
        let is_linked = false;
        tree.insert(entry.name, Entry { node, is_linked });
    }
    Ok(tree)
}
