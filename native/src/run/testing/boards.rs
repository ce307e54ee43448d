//! Distributes test files over boards.

use std::{
    collections::VecDeque,
    fmt, mem,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

use super::{
    Options, Report, Status, TestFile,
    event::{Event, Teller},
    run::run_file,
};
use crate::Board;

/// Running tests.
#[derive(Debug)]
pub struct Running {
    events: mpsc::Receiver<Event>,
    stop: watch::Sender<bool>,
}

/// Function that restarts a lost board, given by its number, and connects to it again.
#[derive(Clone)]
pub struct Restart(Arc<Restarting>);

type Restarting = dyn Fn(usize) -> Restarted + Send + Sync;
type Restarted = Pin<Box<dyn Future<Output = Result<Board, String>> + Send>>;

impl Restart {
    /// Creates a `Restart` from a function, whose error is shown to the person.
    pub fn new<F>(restart: impl Fn(usize) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Board, String>> + Send + 'static,
    {
        Self(Arc::new(move |board| Box::pin(restart(board))))
    }
}

impl fmt::Debug for Restart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Restart")
    }
}

/// Runs the tests of files, each file on the first free board. The boards are released at the end. It must be called
/// within a tokio runtime.
#[must_use]
pub fn run(boards: Vec<Board>, files: Vec<TestFile>, options: Options) -> Running {
    let (tell, events) = mpsc::channel(EVENTS_WAITING);
    let (stop, stopped) = watch::channel(false);
    let shared = Arc::new(Shared {
        left: Mutex::new((0..files.len()).collect()),
        files,
        options,
        is_over: Arc::new(AtomicBool::new(false)),
        tell,
        stopped,
    });
    tokio::spawn(async move {
        let mut workers = JoinSet::new();
        for (number, board) in boards.into_iter().enumerate() {
            workers.spawn(work(Arc::clone(&shared), number, board));
        }
        workers.join_all().await;
        shared.tell_what_is_left().await;
    });
    Running { events, stop }
}

impl Running {
    /// Returns the next event; `None` once all has ended and the boards have been released. Cancel
    /// safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Interrupts running tests. No further results are reported; the end still has to be awaited.
    pub fn stop(&self) {
        // Once all has ended, nothing receives this.
        let _ = self.stop.send(true);
    }
}

struct Shared {
    files: Vec<TestFile>,
    left: Mutex<VecDeque<usize>>,
    options: Options,
    is_over: Arc<AtomicBool>,
    tell: mpsc::Sender<Event>,
    stopped: watch::Receiver<bool>,
}

impl Shared {
    fn next(&self) -> Option<usize> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.pop_front()
    }

    /// Sends an event; the application may have gone.
    async fn tell(&self, event: Event) {
        let _ = self.tell.send(event).await;
    }

    /// Reports the files for which no board was left.
    async fn tell_what_is_left(&self) {
        if *self.stopped.borrow() {
            return;
        }
        while let Some(file) = self.next() {
            let report =
                Report::new(None, Status::Error, "it did not run: no board is left").into();
            let board = None;
            self.tell(Event::Ended {
                board,
                file,
                report,
            })
            .await;
        }
    }
}

/// Lets one board run files until none is left.
async fn work(shared: Arc<Shared>, number: usize, mut board: Board) {
    let mut stopped = shared.stopped.clone();
    tokio::select! {
        () = work_on(&shared, number, &mut board) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    // A running program is interrupted. The loss of a board was already reported.
    let _ = board.release().await;
}

async fn work_on(shared: &Shared, number: usize, board: &mut Board) {
    let mut is_first = true;
    while let Some(file) = shared.next() {
        let event = Event::Began {
            board: number,
            file,
        };
        shared.tell(event).await;
        let teller = Teller {
            board: number,
            file,
            tell: shared.tell.clone(),
            is_over: Arc::clone(&shared.is_over),
            stop_at_failure: shared.options.stop_at_failure,
        };
        let tests = &shared.files[file];
        let ran = run_file(board, tests, is_first, &shared.options, &teller).await;
        is_first = false;
        let Err(error) = ran else { continue };
        let mut why = error.to_string();
        if let Some(restart) = &shared.options.restart {
            match (restart.0)(number).await {
                Ok(again) => {
                    let lost = mem::replace(board, again);
                    lost.close().await;
                    shared.tell(Event::Restarted { board: number, why }).await;
                    is_first = true;
                    continue;
                }
                Err(error) => why = format!("{why}; {error}"),
            }
        }
        return shared.tell(Event::Lost { board: number, why }).await;
    }
}

/// Limit of events that the application has not taken.
const EVENTS_WAITING: usize = 64;
