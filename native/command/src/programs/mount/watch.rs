//! Running a program again when a file of the mounted folder is saved.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use flylead_native::mount::{Folder, Written};
use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode},
};
use tokio::{sync::mpsc, time::timeout};

use super::{Common, Exit, Failure, Interrupts, Then};

/// Saved files.
pub(super) struct Changes {
    saved: mpsc::UnboundedReceiver<PathBuf>,
    written: Written,
    root: PathBuf,
    /// First saved file that was not returned yet.
    first: Option<PathBuf>,
    /// Watcher that is active until dropped.
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Watches a folder and everything below it.
    pub(super) fn of(folder: &Folder) -> Result<Self, Failure> {
        let (sender, saved) = mpsc::unbounded_channel();
        let wrong = |error: notify::Error| {
            let path = folder.path().display();
            Failure::new(Exit::Usage, format!("{path} cannot be watched: {error}"))
        };
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            for path in event
                .into_iter()
                .filter(is_saved)
                .flat_map(|event| event.paths)
            {
                // Nobody waits for the file any more.
                let _ = sender.send(path);
            }
        })
        .map_err(wrong)?;
        watcher
            .watch(folder.path(), RecursiveMode::Recursive)
            .map_err(wrong)?;
        Ok(Self {
            saved,
            written: folder.written(),
            root: folder.path().to_owned(),
            first: None,
            _watcher: watcher,
        })
    }

    /// Waits until a file has been saved, and no other one within a moment, and returns its path.
    ///
    /// Cancel safe: the next call returns a file that was saved meanwhile.
    async fn next(&mut self) -> PathBuf {
        while self.first.is_none() {
            match self.saved.recv().await {
                Some(path) => self.first = Some(path).filter(|path| self.counts(path)),
                None => std::future::pending().await,
            }
        }
        let quiet = async { while timeout(QUIET, self.saved.recv()).await.is_ok() {} };
        // A folder in which files are written all the time must not delay this forever.
        let _ = timeout(LONGEST_WAIT, quiet).await;
        self.first.take().unwrap_or_default()
    }

    /// Returns true for files that count: neither those that editors keep beside the files, nor those that the board
    /// itself has written.
    fn counts(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.root) else {
            return false;
        };
        let is_hidden = below.iter().any(|name| {
            let name = name.to_string_lossy();
            name.starts_with('.') || name.ends_with('~') || name == "__pycache__"
        });
        !is_hidden && !self.written.has(below)
    }
}

/// Returns true for complete content, and for names that were added or removed. If a system does not report that a file
/// was closed, each change of its content counts.
fn is_saved(event: &Event) -> bool {
    use notify::event::{ModifyKind, RemoveKind};
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(_))
        | EventKind::Remove(RemoveKind::File | RemoveKind::Any) => true,
        EventKind::Create(_) | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) => {
            !cfg!(target_os = "linux")
        }
        _ => false,
    }
}

/// Runs the program again after each change, until Ctrl-C.
pub(super) async fn run_again(
    then: &Then,
    common: &Common,
    mut changes: Changes,
    interrupts: &mut Interrupts,
) -> Result<Exit, Failure> {
    loop {
        let saved = tokio::select! {
            done = run_once(then, common) => {
                if let Some(end) = report(done, common) {
                    return end;
                }
                tokio::select! {
                    saved = changes.next() => saved,
                    () = interrupts.next() => return Ok(Exit::Done),
                }
            }
            saved = changes.next() => saved,
        };
        let name = saved.strip_prefix(&changes.root).unwrap_or(&saved);
        common.note(format_args!("{} was saved", name.display()));
    }
}

/// Runs the program once. Ctrl-C belongs to the program.
async fn run_once(then: &Then, common: &Common) -> Result<Exit, Failure> {
    match then {
        Then::Exec(cmd) => cmd.run_again(common).await,
        Then::Run(cmd) => cmd.run_again(common).await,
        Then::Eval(_) | Then::Repl(_) => Err(Failure::new(
            Exit::Usage,
            "--watch reruns exec and run; it does not work with repl and eval",
        )),
    }
}

/// Reports the end of a run, and returns the end of the command if it is final: an error in the program can be fixed.
fn report(done: Result<Exit, Failure>, common: &Common) -> Option<Result<Exit, Failure>> {
    match done {
        Err(failure) if failure.is_mendable() => {
            failure.report(common.json);
        }
        Ok(Exit::Done) => {}
        end => return Some(end),
    }
    common.note("waiting for a file to be saved; Ctrl-C ends this");
    None
}

/// Time without further saves, within which a tool that formats saved files has finished.
const QUIET: Duration = Duration::from_millis(20);
const LONGEST_WAIT: Duration = Duration::from_millis(500);
