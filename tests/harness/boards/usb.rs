//! A USB port that a board leaves when it resets, and comes back to under another name, as a real one does.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use super::line::{
    tty::Tty,
    wire::{Faults, Wire},
    worker::Worker,
};

/// A link, as systems keep for a board by its serial number, to the port that the board has now.
///
/// All bytes go over a [`Wire`]. [`Faults::leaves_after`] says which words to the board make it leave.
#[derive(Debug)]
pub struct UsbPort {
    link: PathBuf,
    names: Arc<Mutex<Vec<PathBuf>>>,
    _worker: Worker,
    _folder: TempDir,
}

impl UsbPort {
    /// Plugs a board in, which stays away for this long whenever it leaves.
    ///
    /// # Panics
    ///
    /// When there are no more ptys, or `board` is none.
    #[must_use]
    pub fn attach(board: &Path, faults: Faults, away: Duration) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("flylead-usb-")
            .tempdir()
            .expect("there is room for temporary files");
        let link = folder.path().join("usb-MicroPython_Board-if00");
        let names = Arc::new(Mutex::new(Vec::new()));
        let mut plug = Plug {
            board: board.to_owned(),
            faults,
            link: link.clone(),
            names: Arc::clone(&names),
            taken: Vec::new(),
        };
        let mut wire = plug.plug_in();
        let worker = Worker::start(move |end| {
            while !end.is_over() {
                thread::sleep(GLANCE);
                if wire.is_pulled() {
                    plug.pull_out(wire);
                    thread::sleep(away);
                    wire = plug.plug_in();
                }
            }
        });
        Self {
            link,
            names,
            _worker: worker,
            _folder: folder,
        }
    }

    /// The link to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.link
    }

    /// The names that the port has had, the last one now.
    #[must_use]
    pub fn names(&self) -> Vec<PathBuf> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.clone()
    }
}

struct Plug {
    board: PathBuf,
    faults: Faults,
    link: PathBuf,
    names: Arc<Mutex<Vec<PathBuf>>>,
    /// Terminals that hold the earlier names, so that the system gives them to nobody.
    taken: Vec<Tty>,
}

impl Plug {
    fn plug_in(&mut self) -> Wire {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = loop {
            let (line, path) = Tty::pair().expect("the system has a pty left");
            if !names.contains(&path) {
                break (line, path);
            }
            self.taken.push(line);
        };
        names.push(pair.1.clone());
        let wire = Wire::between(&self.board, pair, self.faults.clone());
        symlink(wire.path(), &self.link).expect("the link's folder is ours");
        wire
    }

    fn pull_out(&mut self, wire: Wire) {
        fs::remove_file(&self.link).expect("the link is ours");
        drop(wire);
    }
}

/// Time between two looks at the wire.
const GLANCE: Duration = Duration::from_millis(5);
