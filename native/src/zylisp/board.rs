//! A MicroPython board as an evaluator: one board, any number of clients, one program at a time.

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
};

use flylead_core::{
    raw_repl::{Outcome as BoardOutcome, Traceback},
    zylisp::{Answer, EvalError, Evaluator, EvaluatorFactory, Outcome, Progress, Task},
};
use serde_json::Value as Json;
use tokio::sync::{Notify, mpsc};

use crate::{Board, BoardError, Program};

/// Lets every client of a server run Python on a board. They share it: its variables are everybody's, and a program
/// waits until the one before has ended. It must be called within a tokio runtime.
#[must_use]
pub fn board_evaluator(board: Board) -> EvaluatorFactory {
    let (jobs, waiting) = mpsc::unbounded_channel();
    tokio::spawn(work(board, waiting));
    Arc::new(move || {
        Box::new(BoardEvaluator {
            jobs: jobs.clone(),
            job: None,
            given_up: false,
            told: None,
            output: Vec::new(),
            omitted: 0,
        })
    })
}

/// One client's access to the board.
struct BoardEvaluator {
    jobs: mpsc::UnboundedSender<Job>,
    job: Option<Running>,
    /// Whether it was interrupted before the board had time for it.
    given_up: bool,
    /// What a task that needs no board has come to.
    told: Option<Outcome>,
    output: Vec<u8>,
    omitted: usize,
}

/// A program for the board, as the board's task has it.
struct Job {
    code: String,
    news: mpsc::Sender<News>,
    interrupt: Arc<Notify>,
}

/// A program for the board, as its client has it. When it is dropped, the program is interrupted.
struct Running {
    news: mpsc::Receiver<News>,
    interrupt: Arc<Notify>,
    /// Whether the board runs it.
    started: bool,
}

enum News {
    Started,
    Output(Vec<u8>),
    Done(Outcome),
}

impl Evaluator for BoardEvaluator {
    fn begin(&mut self, task: Task) {
        self.given_up = false;
        self.told = None;
        let source = match task {
            Task::Eval { source, .. } => source,
            Task::Help(question) => {
                self.told = Some(Outcome::Help(question.unanswered()));
                return;
            }
            _ => {
                let why = "a board's programs print what they have to say; there is no more of it";
                self.told = Some(Outcome::Failed(why.into()));
                return;
            }
        };
        let (news, received) = mpsc::channel(NEWS_WAITING);
        let interrupt = Arc::new(Notify::new());
        self.job = Some(Running {
            news: received,
            interrupt: Arc::clone(&interrupt),
            started: false,
        });
        // Without the board's task there is no news, which is told as that.
        let _ = self.jobs.send(Job {
            code: source.code,
            news,
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
                Poll::Pending => return Progress::Waiting,
                Poll::Ready(Some(News::Started)) => job.started = true,
                Poll::Ready(Some(News::Output(output))) => self.keep(&output),
                Poll::Ready(Some(News::Done(outcome))) => {
                    self.job = None;
                    return Progress::Done(outcome);
                }
                Poll::Ready(None) => self.job = None,
            }
        }
    }

    fn interrupt(&mut self) {
        match &self.job {
            Some(job) if job.started => job.interrupt.notify_one(),
            // Without its client the board does not begin it, or ends it at once.
            Some(_) => {
                self.job = None;
                self.given_up = true;
            }
            None => {}
        }
    }

    fn take_output(&mut self) -> (String, usize) {
        let output = std::mem::take(&mut self.output);
        (
            String::from_utf8_lossy(&output).into_owned(),
            std::mem::take(&mut self.omitted),
        )
    }
}

impl BoardEvaluator {
    fn keep(&mut self, output: &[u8]) {
        let kept = output.len().min(OUTPUT_LIMIT - self.output.len());
        self.output.extend_from_slice(&output[..kept]);
        self.omitted += output.len() - kept;
    }
}

/// Runs one program after the other.
async fn work(mut board: Board, mut jobs: mpsc::UnboundedReceiver<Job>) {
    while let Some(mut job) = jobs.recv().await {
        if job.news.send(News::Started).await.is_err() {
            continue;
        }
        let outcome = run(&mut board, &mut job).await.unwrap_or_else(failed);
        // The client may have gone.
        let _ = job.news.send(News::Done(outcome)).await;
    }
    // The board is left at its prompt, if it is still there.
    let _ = board.release().await;
}

async fn run(board: &mut Board, job: &mut Job) -> Result<Outcome, BoardError> {
    let mut program = board.start(job.code.as_bytes(), None).await?;
    let mut interrupted = false;
    loop {
        tokio::select! {
            output = program.next_output() => match output? {
                // Whoever reads slowly slows the board down; whoever has gone does not.
                Some(output) => drop(job.news.send(News::Output(output)).await),
                None => break,
            },
            () = wants_end(job), if !interrupted => {
                interrupted = true;
                program.interrupt().await?;
            }
        }
    }
    ended(program, interrupted).await
}

/// Waits for an interrupt, or until the client has gone.
async fn wants_end(job: &Job) {
    tokio::select! {
        () = job.interrupt.notified() => {}
        () = job.news.closed() => {}
    }
}

async fn ended(program: Program<'_>, interrupted: bool) -> Result<Outcome, BoardError> {
    Ok(match program.outcome().await? {
        BoardOutcome::Raised(_) if interrupted => Outcome::Interrupted,
        BoardOutcome::Raised(traceback) => Outcome::Error(error(&traceback)),
        BoardOutcome::Completed | BoardOutcome::Exited => Outcome::Value(Answer {
            value: Json::Null,
            text: None,
            more: false,
        }),
        BoardOutcome::TimedOut(_) => return Err(BoardError::TimedOut),
        BoardOutcome::BoardReset => return Err(BoardError::Restarted),
    })
}

/// The exception under its own name, with the whole traceback.
fn error(traceback: &Traceback) -> EvalError {
    EvalError {
        kind: traceback.exception.clone(),
        message: traceback.to_string(),
        ..EvalError::default()
    }
}

fn failed(error: BoardError) -> Outcome {
    Outcome::Failed(format!("the board: {error}"))
}

fn gone() -> Outcome {
    Outcome::Failed("the board is gone".into())
}

/// Pieces of output that a client has not taken yet.
const NEWS_WAITING: usize = 64;

/// How much output of one program is kept, in bytes.
const OUTPUT_LIMIT: usize = 256 << 10;
