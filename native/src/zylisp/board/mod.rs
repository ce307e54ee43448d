//! A MicroPython board as an evaluator: one board, any number of clients, one program at a time.

mod desk;
mod input;
mod names;
mod running;
mod source;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use flylead_core::zylisp::{
    Abilities, BoxedEvaluator, Evaluator, EvaluatorFactory, Help, Outcome, Progress, Question,
    Task, lang::Source,
};
use tokio::sync::{Notify, mpsc};

use self::names::Names;
use crate::Board;

/// Lets every client of a server run Python on a board. Clients share the board and its variables, and a program waits
/// until the previous one has ended. It must be called within a tokio runtime.
///
/// Signatures for editors come from the programs that they send, from the Python files of the current folder and its
/// `lib`, and from stubs in `typings`.
#[must_use]
pub fn board_evaluator(board: Board) -> EvaluatorFactory {
    let (jobs, waiting) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared::default());
    tokio::spawn(desk::work(board, waiting, Arc::clone(&shared)));
    Arc::new(move || Box::new(BoardEvaluator::new(jobs.clone(), Arc::clone(&shared))))
}

/// State that the board's task and its clients share.
#[derive(Default)]
struct Shared {
    /// True while a program of a client runs.
    is_busy: AtomicBool,
    names: Mutex<Names>,
}

impl Shared {
    fn with_names<R>(&self, work: impl FnOnce(&mut Names) -> R) -> R {
        // Names are inserted one by one, so a panic leaves them usable.
        work(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One client's access to the board.
struct BoardEvaluator {
    jobs: mpsc::UnboundedSender<Job>,
    shared: Arc<Shared>,
    job: Option<Running>,
    /// True once the task was interrupted before the board had started it.
    given_up: bool,
    /// Outcome of a task that needs no board.
    told: Option<Outcome>,
    output: Vec<u8>,
    omitted: usize,
    /// Input that arrived before the program that reads it.
    typed: String,
    /// True while a program waits for input that was not yet requested from the client.
    reads: bool,
    /// Number of resets that this client knows of.
    resets: u64,
}

/// Job for the board's task.
struct Job {
    work: Work,
    news: mpsc::Sender<News>,
    input: mpsc::Receiver<String>,
    interrupt: Arc<Notify>,
}

enum Work {
    Run(Source),
    Answer(Question),
}

/// A job as its client sees it. Dropping it interrupts the program.
struct Running {
    news: mpsc::Receiver<News>,
    input: mpsc::Sender<String>,
    interrupt: Arc<Notify>,
    /// True once the board works on the job.
    started: bool,
}

enum News {
    /// The board works on the job, and was reset this many times before.
    Started(u64),
    Output(Vec<u8>),
    /// The program reads, and all typed input has been sent to it.
    NeedsInput,
    /// The board was reset because the program did not end.
    Reset(u64),
    Done(Outcome),
}

impl Evaluator for BoardEvaluator {
    fn begin(&mut self, task: Task) {
        self.given_up = false;
        self.reads = false;
        self.told = None;
        let work = match task {
            Task::Eval { source, .. } => Work::Run(source),
            Task::Help(question) => Work::Answer(question),
            Task::Page { .. } | _ => {
                let why = "a board's programs print their values whole; there is no further page";
                self.told = Some(Outcome::Failed(why.into()));
                return;
            }
        };
        let (news, received) = mpsc::channel(NEWS_WAITING);
        let (input, read) = mpsc::channel(INPUTS_WAITING);
        let interrupt = Arc::new(Notify::new());
        if !self.typed.is_empty() && matches!(work, Work::Run(_)) {
            // The channel is new and has space.
            let _ = input.try_send(std::mem::take(&mut self.typed));
        }
        self.job = Some(Running {
            news: received,
            input,
            interrupt: Arc::clone(&interrupt),
            started: false,
        });
        // Without the board's task no news arrives, which is reported as such.
        let _ = self.jobs.send(Job {
            work,
            news,
            input: read,
            interrupt,
        });
    }

    fn run(&mut self, _fuel: &mut u64, waker: &Waker) -> Progress {
        if let Some(told) = self.told.take() {
            return Progress::Done(told);
        }
        loop {
            if self.given_up {
                return Progress::Done(Outcome::Interrupted);
            }
            let Some(job) = &mut self.job else {
                return Progress::Done(gone());
            };
            let mut context = Context::from_waker(waker);
            match job.news.poll_recv(&mut context) {
                Poll::Pending if std::mem::take(&mut self.reads) => return Progress::NeedsInput,
                Poll::Pending => return Progress::Waiting,
                Poll::Ready(Some(News::Started(resets))) => {
                    job.started = true;
                    if self.resets != resets {
                        self.resets = resets;
                        self.keep(RESET_BY_ANOTHER.as_bytes());
                    }
                }
                Poll::Ready(Some(News::Output(output))) => self.keep(&output),
                Poll::Ready(Some(News::NeedsInput)) => self.reads = true,
                Poll::Ready(Some(News::Reset(resets))) => {
                    self.resets = resets;
                    self.keep(RESET.as_bytes());
                }
                Poll::Ready(Some(News::Done(outcome))) => {
                    self.job = None;
                    return Progress::Done(outcome);
                }
                Poll::Ready(None) => self.job = None,
            }
        }
    }

    fn interrupt(&mut self) {
        self.typed.clear();
        match &self.job {
            Some(job) if job.started => job.interrupt.notify_one(),
            // Once its client is gone, the board does not start the job, or ends it at once.
            Some(_) => {
                self.job = None;
                self.given_up = true;
            }
            None => {}
        }
    }

    fn take_output(&mut self) -> (String, usize) {
        let mut output = std::mem::take(&mut self.output);
        // Half a line end waits for the other half.
        if self.job.is_some() && output.last() == Some(&b'\r') {
            output.pop();
            self.output.push(b'\r');
        }
        // Boards send the line ends of terminals. Editors display them, and a client that reads text miscounts its
        // bytes.
        let text = String::from_utf8_lossy(&output).replace("\r\n", "\n");
        (text, std::mem::take(&mut self.omitted))
    }

    fn input(&mut self, text: &str) -> Result<(), String> {
        let full = "the program has not read its earlier input; wait until it has";
        if self.typed.len() + text.len() > INPUT_LIMIT {
            return Err(full.into());
        }
        match &self.job {
            Some(job) => job.input.try_send(text.into()).map_err(|_| full.into()),
            None => {
                self.typed.push_str(text);
                Ok(())
            }
        }
    }

    /// Answers without the board while it runs a program and cannot be asked: then the names are those of files and
    /// stubs.
    fn help(&mut self, question: &Question) -> Option<Help> {
        let is_busy = self.shared.is_busy.load(Ordering::Acquire);
        is_busy.then(|| self.shared.with_names(|names| names.answer(question)))
    }

    /// Returns another client's access to the board, whose variables all clients share.
    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        let (jobs, shared) = (self.jobs.clone(), Arc::clone(&self.shared));
        let mut fork = Self::new(jobs, shared);
        fork.resets = self.resets;
        Ok(Box::new(fork))
    }

    fn abilities(&self) -> Abilities {
        Abilities::ALL
    }
}

impl BoardEvaluator {
    const fn new(jobs: mpsc::UnboundedSender<Job>, shared: Arc<Shared>) -> Self {
        Self {
            jobs,
            shared,
            job: None,
            given_up: false,
            told: None,
            output: Vec::new(),
            omitted: 0,
            typed: String::new(),
            reads: false,
            resets: 0,
        }
    }

    fn keep(&mut self, output: &[u8]) {
        let kept = output.len().min(OUTPUT_LIMIT - self.output.len());
        self.output.extend_from_slice(&output[..kept]);
        self.omitted += output.len() - kept;
    }
}

fn gone() -> Outcome {
    Outcome::Failed("the board is gone".into())
}

const RESET: &str =
    "\nThe program caught every Ctrl-C, so the board was soft-reset: its variables are gone.\n";
const RESET_BY_ANOTHER: &str =
    "The board was soft-reset to end another client's program: its variables are gone.\n";

/// Limit of output pieces that a client has not taken yet.
const NEWS_WAITING: usize = 64;

/// Limit of input pieces that the board has not taken yet.
const INPUTS_WAITING: usize = 64;

/// Limit of one input, in bytes.
const INPUT_LIMIT: usize = 64 << 10;

/// Limit of a program's kept output, in bytes.
const OUTPUT_LIMIT: usize = 256 << 10;
