//! A MicroPython board as an evaluator: one board, any number of clients, one program at a time.

use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use flylead_core::{
    raw_repl::{ErrorKind, Outcome as BoardOutcome, Traceback},
    zylisp::{
        Abilities, Answer, BoxedEvaluator, EvalError, Evaluator, EvaluatorFactory, Outcome,
        Progress, Task,
    },
};
use tokio::{
    sync::{Notify, mpsc},
    time::{Instant, sleep_until},
};

use crate::{Board, BoardError, Program, expression::Question};

/// Lets every client of a server run Python on a board. They share it: its variables are everybody's, and a program
/// waits until the one before has ended. It must be called within a tokio runtime.
#[must_use]
pub fn board_evaluator(board: Board) -> EvaluatorFactory {
    let (jobs, waiting) = mpsc::unbounded_channel();
    tokio::spawn(work(board, waiting));
    Arc::new(move || Box::new(BoardEvaluator::new(jobs.clone())))
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
    /// Whether its value is wanted, if it is an expression.
    wants_value: bool,
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
            Task::Page { .. } | _ => {
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
            wants_value: source.each_form,
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

    /// Another client's access to the board, whose variables are everybody's.
    fn fork(&mut self) -> Result<BoxedEvaluator, String> {
        Ok(Box::new(Self::new(self.jobs.clone())))
    }

    fn abilities(&self) -> Abilities {
        let mut abilities = Abilities::default();
        abilities.copies = true;
        abilities
    }
}

impl BoardEvaluator {
    const fn new(jobs: mpsc::UnboundedSender<Job>) -> Self {
        Self {
            jobs,
            job: None,
            given_up: false,
            told: None,
            output: Vec::new(),
            omitted: 0,
        }
    }

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
    if job.wants_value
        && says_something(&job.code)
        && let Some(outcome) = run_expression(board, job).await?
    {
        return Ok(outcome);
    }
    let mut program = board.start(job.code.as_bytes(), None).await?;
    let interrupted = follow(&mut program, job, <[u8]>::to_vec).await?;
    let outcome = program.outcome().await?;
    if interrupted && matches!(outcome, BoardOutcome::Raised(_)) {
        return Ok(Outcome::Interrupted);
    }
    ended(outcome, nothing(job))
}

/// What a program comes to that is no expression. Where a value is wanted, it is as Python writes it.
fn nothing(job: &Job) -> Answer {
    Answer {
        text: job.wants_value.then(|| "None".into()),
        ..Answer::default()
    }
}

/// Runs the code as an expression; nothing, if it is none. Then the board has not run anything of it.
async fn run_expression(board: &mut Board, job: &Job) -> Result<Option<Outcome>, BoardError> {
    let mut question = Question::new(&job.code);
    let mut program = board.start(question.source(), None).await?;
    let interrupted = follow(&mut program, job, |output| question.push(output)).await?;
    let outcome = program.outcome().await?;
    if let BoardOutcome::Raised(traceback) = &outcome {
        if is_not_python(traceback) {
            return Ok(None);
        }
        if interrupted {
            return Ok(Some(Outcome::Interrupted));
        }
    }
    let text = question.answer().unwrap_or_default();
    let answer = Answer {
        value: text.clone().into(),
        text: Some(text),
        more: false,
    };
    ended(outcome, answer).map(Some)
}

/// Hands out a program's output until it has ended. True if it was interrupted.
///
/// A program may catch Ctrl-C and go on, so each interrupt is sent; for a client that has left, once a second.
async fn follow(
    program: &mut Program<'_>,
    job: &Job,
    mut printed: impl FnMut(&[u8]) -> Vec<u8>,
) -> Result<bool, BoardError> {
    let mut interrupted = false;
    let mut left_at = None;
    loop {
        let again = left_at.unwrap_or_else(Instant::now);
        tokio::select! {
            output = program.next_output() => match output? {
                // Whoever reads slowly slows the board down; whoever has gone does not.
                Some(output) => match printed(&output) {
                    nothing if nothing.is_empty() => {}
                    output => drop(job.news.send(News::Output(output)).await),
                },
                None => return Ok(interrupted),
            },
            () = job.interrupt.notified(), if left_at.is_none() => {
                interrupted = true;
                program.interrupt().await?;
            }
            () = job.news.closed(), if left_at.is_none() => left_at = Some(Instant::now()),
            () = sleep_until(again), if left_at.is_some() => {
                interrupted = true;
                program.interrupt().await?;
                left_at = Some(Instant::now() + INTERRUPT_AGAIN);
            }
        }
    }
}

/// Whether there is more than comments: a list of nothing would be an expression too.
fn says_something(code: &str) -> bool {
    let mut lines = code.lines().map(str::trim);
    lines.any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Whether the board could not read the program. The error of one that it read, and that reads another, has functions.
fn is_not_python(traceback: &Traceback) -> bool {
    let frames = &traceback.frames;
    traceback.kind() == ErrorKind::Parse && frames.iter().all(|frame| frame.function.is_none())
}

/// What came of a program that has this value if it came to its end.
fn ended(outcome: BoardOutcome, answer: Answer) -> Result<Outcome, BoardError> {
    Ok(match outcome {
        BoardOutcome::Raised(traceback) => Outcome::Error(error(&traceback)),
        BoardOutcome::Completed => Outcome::Value(answer),
        BoardOutcome::Exited => Outcome::Value(Answer::default()),
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

/// Time that a program has to end after a Ctrl-C before the next one, once its client has left.
const INTERRUPT_AGAIN: Duration = Duration::from_secs(1);

/// Pieces of output that a client has not taken yet.
const NEWS_WAITING: usize = 64;

/// How much output of one program is kept, in bytes.
const OUTPUT_LIMIT: usize = 256 << 10;
