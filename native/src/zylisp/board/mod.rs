//! A MicroPython board as an evaluator: one board, any number of clients, one program at a time.

mod desk;
mod input;
mod names;
mod running;
mod source;

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use flylead_core::zylisp::{
    Abilities, Answer, BoxedEvaluator, Evaluator, EvaluatorFactory, Help, Outcome, Progress,
    Question, Task, lang::Source,
};
use serde_json::Value as Json;
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
};

use self::names::Names;
use crate::Board;

/// A board on which every client of a server runs Python. Clients share the board and its variables, and a program waits
/// until the previous one has ended.
///
/// Signatures for editors come from the programs that they send, from the Python files of the current folder and its
/// `lib`, and from stubs in `typings`.
#[derive(Debug)]
pub struct SharedBoard {
    jobs: mpsc::UnboundedSender<Job>,
    shared: Arc<Shared>,
    work: JoinHandle<()>,
}

impl SharedBoard {
    /// Shares a board, on a task of the current tokio runtime.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn new(board: Board) -> Self {
        Self::start(board, None)
    }

    /// Shares a board that is opened again by this function, for the next program after its port was gone: it was
    /// unplugged, or has restarted.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn reopening<F>(board: Board, reopen: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Board, String>> + Send + 'static,
    {
        Self::start(board, Some(Box::new(move || Box::pin(reopen()))))
    }

    fn start(board: Board, reopen: Option<Reopen>) -> Self {
        let (jobs, waiting) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared::default());
        let work = desk::work(board, reopen, waiting, Arc::clone(&shared));
        let work = tokio::spawn(work);
        Self { jobs, shared, work }
    }

    /// Returns the factory of clients' evaluators, for [`ServerConfig::evaluator`](super::ServerConfig::evaluator).
    #[must_use]
    pub fn evaluators(&self) -> EvaluatorFactory {
        let (jobs, shared) = (self.jobs.clone(), Arc::clone(&self.shared));
        Arc::new(move || Box::new(BoardEvaluator::new(jobs.clone(), Arc::clone(&shared))))
    }

    /// Waits until every evaluator and their factory are dropped, the last program has ended, and the board is at its
    /// prompt, as it was before.
    pub async fn released(self) {
        drop(self.jobs);
        // The task panics only by a fault of this crate, and then nothing is left to wait for.
        let _ = self.work.await;
    }
}

/// Opens the board again.
type Reopen =
    Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<Board, String>> + Send>> + Send + Sync>;

/// State that the board's task and its clients share.
#[derive(Debug, Default)]
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
    /// Number of resets that this client knows of, once it has run something.
    resets: Option<u64>,
    /// Size limit of an answer, in bytes.
    page: usize,
    /// The last value, as text.
    value: String,
    /// Number of its bytes that were sent.
    sent: usize,
}

/// Job for the board's task.
#[derive(Debug)]
struct Job {
    work: Work,
    news: mpsc::Sender<News>,
    input: mpsc::Receiver<String>,
    interrupt: Arc<Notify>,
}

#[derive(Debug)]
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
    is_program: bool,
}

#[derive(Debug)]
enum News {
    /// The board works on the job, and has restarted this many times before.
    Started(u64),
    Output(Vec<u8>),
    /// The program reads, and all typed input has been sent to it.
    NeedsInput,
    /// The board has restarted this many times, and the client is told this.
    Restarted {
        resets: u64,
        note: &'static str,
    },
    Done(Outcome),
}

impl Evaluator for BoardEvaluator {
    fn begin(&mut self, task: Task) {
        self.given_up = false;
        self.reads = false;
        self.told = None;
        let work = match task {
            Task::Eval { source, page } => {
                self.page = page;
                self.value = String::new();
                self.sent = 0;
                Work::Run(source)
            }
            Task::Help(question) => Work::Answer(question),
            Task::Page { length } if self.sent < self.value.len() => {
                let answer = self.next_page(length);
                self.told = Some(Outcome::Value(answer));
                return;
            }
            Task::Page { .. } | _ => {
                let why = "the last value has no further pages";
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
            is_program: matches!(work, Work::Run(_)),
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
                    // The asker of a question about names would not see it.
                    if job.is_program
                        && let known = self.resets.replace(resets)
                        && known.is_some_and(|known| known != resets)
                    {
                        self.keep(RESTARTED_BEFORE.as_bytes());
                    }
                }
                Poll::Ready(Some(News::Output(output))) => self.keep(&output),
                Poll::Ready(Some(News::NeedsInput)) => self.reads = true,
                Poll::Ready(Some(News::Restarted { resets, note })) => {
                    self.resets = Some(resets);
                    self.keep(note.as_bytes());
                }
                Poll::Ready(Some(News::Done(Outcome::Value(answer)))) => {
                    self.job = None;
                    self.value = answer.text.unwrap_or_default();
                    self.sent = 0;
                    let page = self.next_page(self.page);
                    return Progress::Done(Outcome::Value(match answer.value {
                        Json::Null => Answer {
                            value: Json::Null,
                            ..page
                        },
                        _ => page,
                    }));
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
            resets: None,
            page: 0,
            value: String::new(),
            sent: 0,
        }
    }

    /// Returns the next part of the last value, of at most this many bytes but at least one character.
    fn next_page(&mut self, length: usize) -> Answer {
        let rest = &self.value[self.sent..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let text = &rest[..rest.floor_char_boundary(length).max(first)];
        self.sent += text.len();
        Answer {
            value: text.into(),
            text: Some(text.into()),
            more: self.sent < self.value.len(),
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

const RESTARTED_BEFORE: &str =
    "The board has restarted since your last program: its variables are gone.\n";

/// Limit of output pieces that a client has not taken yet.
const NEWS_WAITING: usize = 64;

/// Limit of input pieces that the board has not taken yet.
const INPUTS_WAITING: usize = 64;

/// Limit of one input, in bytes.
const INPUT_LIMIT: usize = 64 << 10;

/// Limit of a program's kept output, in bytes.
const OUTPUT_LIMIT: usize = 256 << 10;
