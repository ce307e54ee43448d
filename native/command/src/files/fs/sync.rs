//! `flylead fs sync`

use std::{fmt::Display, fs, io, path::Path};

use clap::Args;
use flylead_native::{
    Board,
    deploy::{self, Node, Plan, Rules, Source, Step, Tree, join, tree_there},
};
use serde_json::json;

use super::{
    Chosen, Common, Compiler, Exit, Failure, Mpy, Place, Skipped, compiled_name, confirm,
    fetch::{Fault, Fetcher, make_directory},
    here,
    local::below,
    remote::look,
    send::Shown,
};
use crate::terminal::{self, print};

/// Make a directory on one side match one on the other, sending only what differs
///
/// Files are compared by their hashes. Files that only the target has are kept, unless --delete is given. Entries that
/// cannot be copied are listed at the end, with exit code 6, and nothing with their names is removed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  flylead fs sync src :            what differs in src, to the board
  flylead fs sync --delete src :app
  flylead fs sync : backup         the whole board, to a folder here")]
pub(crate) struct Sync {
    /// Directory to copy from; a colon marks the board's side
    from: Place,
    /// Directory to change
    to: Place,
    /// Remove entries that the source lacks
    #[arg(long)]
    delete: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Remove each old file on the board before its new one is sent; it is lost if the new one does not arrive
    #[arg(long)]
    in_place: bool,
    /// Empty the target without asking if the source is empty
    #[arg(short, long)]
    force: bool,

    #[command(flatten)]
    chosen: Chosen,
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
                    "exactly one of source and target must be on the board; prefix board paths with a colon, as in :lib",
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
        let mut report = Report::default();
        let skipped = &mut report.skipped.0;
        let mut ours = Source::read(from, self.chosen.rules(), skipped)?;
        if let Some(compiler) = self.mpy.compiler(board).await? {
            compile(&compiler, &mut ours).await?;
        }
        let theirs = tree_there(board, to).await?;
        let plan = Plan::new(&ours.tree, &theirs, self.delete);
        if !self.delete {
            tell_hidden(&ours, &theirs, to, common);
        }
        if self.dry_run {
            return report.planned(&plan).print(common, &plan);
        }
        self.confirm(&ours.tree, &plan, &format_args!(":{to}"))?;
        let mut shown = Shown::new(common, |item, bytes| {
            common.say(format_args!(":{}, {bytes} bytes", item.path));
            Ok(())
        });
        let done = deploy::apply(
            board,
            &plan,
            &mut ours,
            to,
            self.in_place,
            skipped,
            &mut shown,
        );
        report.done = match done.await {
            Ok(done) => done,
            Err(fault) => return Err(shown.failure(board, fault).await),
        };
        drop(shown);
        report.print(common, &plan)
    }

    async fn down(
        &self,
        board: &mut Board,
        common: &Common,
        from: &str,
        to: &Path,
    ) -> Result<Exit, Failure> {
        let mut report = Report::default();
        // A name that was mistyped must not look like an empty directory, least of all with --delete.
        if look(board, from).await?.is_none() {
            return Err(super::remote::missing(from));
        }
        let theirs = tree_there(board, from).await?;
        let ours = match to.is_dir() {
            // Files that belong to this computer are not removed, and files that cannot be copied do not matter here.
            true => Source::read(to, OURS, &mut deploy::Skipped::default())?.tree,
            false => Tree::default(),
        };
        let plan = Plan::new(&theirs, &ours, self.delete);
        if self.dry_run {
            return report.planned(&plan).print(common, &plan);
        }
        self.confirm(&theirs, &plan, &to.display())?;
        remove_here(to, &plan.clear, &mut report);
        fs::create_dir_all(to).map_err(here(to))?;
        for step in &plan.copy {
            let path = join(from, &step.name);
            let mut fetcher = Fetcher {
                board,
                common,
                skipped: &mut report.skipped,
                in_place: false,
            };
            let got = get(&mut fetcher, &path, step, to).await;
            if fetcher.go_on(&path, got)? {
                report.done.copied.push(step.to_string());
            }
        }
        remove_here(to, &plan.remove, &mut report);
        report.print(common, &plan)
    }

    /// Asks for confirmation if the source is empty, which is usually a mistake and empties the target.
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

/// Rules for a folder that is compared with a board's.
const OURS: Rules = Rules {
    unsafe_links: true,
    everything: false,
};

/// Work done and not done.
#[derive(Default)]
struct Report {
    /// True if this is only a plan.
    is_planned: bool,
    done: deploy::Done,
    skipped: Skipped,
}

impl Report {
    /// Treats the plan as done.
    fn planned(mut self, plan: &Plan) -> Self {
        self.done.copied = plan.copy.iter().map(ToString::to_string).collect();
        let removed = plan.clear.iter().chain(&plan.remove);
        self.done.removed = removed.map(ToString::to_string).collect();
        self.is_planned = true;
        self
    }

    fn print(self, common: &Common, plan: &Plan) -> Result<Exit, Failure> {
        let Self {
            is_planned,
            done: deploy::Done { copied, removed },
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

/// Compiles the sources of a folder, whose entries are replaced by those of their code.
pub(crate) async fn compile(compiler: &Compiler, source: &mut Source) -> Result<(), Failure> {
    let files = source.tree.iter();
    let files = files.filter(|(_, entry)| matches!(entry.node, Node::File(_)));
    let becomes: Vec<_> = files
        .filter_map(|(name, _)| Some((name.clone(), compiled_name(name)?)))
        .collect();
    for (name, becomes) in becomes {
        let file = source.root.join(&name);
        let text = match source.contents.get(&name) {
            Some(text) => text.clone(),
            None => fs::read(&file).map_err(here(&file))?,
        };
        let shown = file.display().to_string();
        let code = compiler.compile(&name, &shown, &text).await?;
        source.replace(&name, becomes, code)?;
    }
    Ok(())
}

/// Warns about a source on the board, which MicroPython imports rather than the code beside it (`stat_file_py_or_mpy`,
/// py/builtinimport.c).
fn tell_hidden(ours: &Source, theirs: &Tree, to: &str, common: &Common) {
    let source = |name: &String| name.strip_suffix(".mpy").map(|stem| format!("{stem}.py"));
    for name in ours.contents.keys().filter_map(source) {
        if theirs.contains_key(&name) {
            let name = join(to, &name);
            common.note(format_args!(
                ":{name} is still on the board and is imported instead of the compiled file; --delete removes it"
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

fn remove_here(root: &Path, steps: &[Step], report: &mut Report) {
    for step in steps {
        let path = root.join(&step.name);
        match remove(&path) {
            Ok(()) => report.done.removed.push(step.to_string()),
            Err(error) => report.skipped.add(path.display(), error),
        }
    }
}

/// Removes a file or a folder. A link is removed itself, whatever it leads to.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir(path),
        false => fs::remove_file(path),
    }
}
