//! Task of a board: runs its clients' programs one after the other, and answers questions about names in between.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use flylead_core::{
    raw_repl::{ErrorKind, Outcome as BoardOutcome, Traceback},
    zylisp::{Answer, EvalError, Outcome, Question, lang::Source},
};
use serde_json::Value as Json;
use tokio::sync::mpsc;

use super::{
    Job, News, Reopen, Shared, Work,
    input::{Hook, Marks, Place},
    names::{self, Names},
    running::{Ending, follow, force},
    source::{Origins, Program, READ_LIMIT},
};
use crate::{
    Board, BoardError,
    board::expression::{self, NoValue},
    os::stack::on_deep_stack,
};

/// A board and the state that its programs leave behind.
pub(super) struct Desk {
    /// `None` while its port is gone.
    board: Option<Board>,
    reopen: Option<Reopen>,
    pub(super) shared: Arc<Shared>,
    /// Programs that have run since the last reset, for locating the frames of tracebacks.
    origins: Origins,
    reads: Reads,
    /// Number of resets so far.
    pub(super) resets: u64,
}

/// Way in which the board's programs report that they read.
#[derive(Debug, Default)]
enum Reads {
    /// Not tried since the last reset.
    #[default]
    Unknown,
    /// A replacement for `input` reports it.
    Hooked(Hook),
    /// Code that is on the board reads without a report; typed programs can be given a replacement.
    OnlyTyped,
    Unreported,
}

pub(super) async fn work(
    board: Board,
    reopen: Option<Reopen>,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    shared: Arc<Shared>,
) {
    let mut desk = Desk {
        board: Some(board),
        reopen,
        shared,
        origins: Origins::default(),
        reads: Reads::default(),
        resets: 0,
    };
    while let Some(mut job) = jobs.recv().await {
        desk.look_at_port().await;
        if job.news.send(News::Started(desk.resets)).await.is_err() {
            continue;
        }
        let outcome = desk.carry_out(&mut job).await;
        // The client may have left.
        let _ = job.news.send(News::Done(outcome)).await;
    }
    // Leaves the board at its prompt as it was before, if it is still connected.
    let _ = desk.unhook().await;
    if let Some(board) = desk.board {
        let _ = board.release().await;
    }
}

impl Desk {
    async fn carry_out(&mut self, job: &mut Job) -> Outcome {
        let done = match &job.work {
            Work::Answer(question) => {
                let question = question.clone();
                self.answer(&question).await
            }
            Work::Run(source) => {
                let source = source.clone();
                self.shared.is_busy.store(true, Ordering::Release);
                let done = self.run(&source, job).await;
                self.shared.is_busy.store(false, Ordering::Release);
                done
            }
        };
        match &done {
            Err(BoardError::Restarted) => self.restarted(job, "").await,
            Err(BoardError::Lost(_) | BoardError::Over) => self.look_at_port().await,
            _ => {}
        }
        done.unwrap_or_else(|error| Outcome::Failed(format!("the board: {error}")))
    }

    /// Lets go of a board whose port has gone, so that the next program can open it again.
    async fn look_at_port(&mut self) {
        if self.reopen.is_some()
            && let Some(board) = &self.board
            && board.is_gone().await
        {
            self.board = None;
            self.forget();
        }
    }

    /// Opens the board again if its port was gone.
    async fn reopened(&mut self) -> Result<(), String> {
        if self.board.is_none()
            && let Some(reopen) = &self.reopen
        {
            self.board = Some(reopen().await?);
        }
        Ok(())
    }

    async fn run(&mut self, source: &Source, job: &mut Job) -> Result<Outcome, BoardError> {
        if let Err(why) = self.reopened().await {
            return Ok(Outcome::Failed(format!("the board: {why}")));
        }
        let program = Program::new(source);
        self.hook(program.mentions_input()).await?;
        self.shared.with_names(|names| names.learn(&program));
        self.origins.add(&program);
        let mut question = program.expression().map(expression::Question::new);
        let code = program.code(question.as_ref().map(expression::Question::source));
        let mut marks = Marks::new(match &self.reads {
            Reads::Hooked(hook) => Some(hook),
            _ => None,
        });
        let Some(board) = &mut self.board else {
            return Err(BoardError::Over);
        };
        let mut running = board.start(code, None).await?;
        let ending = follow(&mut running, job, &mut marks, &mut question).await?;
        let outcome = match ending {
            Ending::Itself { interrupted } => {
                let outcome = running.outcome().await?;
                match outcome {
                    BoardOutcome::Raised(error) if interrupted && error.is_interrupt() => {
                        return Ok(Outcome::Interrupted);
                    }
                    outcome => outcome,
                }
            }
            Ending::Refused => {
                if !force(&mut running).await? {
                    return Ok(Outcome::Failed(UNSTOPPABLE.into()));
                }
                // Old variables are gone, and with them the program's handlers.
                self.reads = Reads::Unknown;
                board.soft_reset().await?;
                self.restarted(job, AFTER_INTERRUPTS).await;
                return Ok(Outcome::Interrupted);
            }
        };
        if let BoardOutcome::Exited = outcome {
            self.restarted(job, AFTER_EXIT).await;
        }
        self.ended(outcome, question.as_ref())
    }

    /// Notes that the board has restarted, and tells the client of this job; the others are told when they next run
    /// something.
    async fn restarted(&mut self, job: &Job, note: &'static str) {
        self.forget();
        let news = News::Restarted {
            resets: self.resets,
            note,
        };
        // The client may have left.
        let _ = job.news.send(news).await;
    }

    fn forget(&mut self) {
        self.reads = Reads::Unknown;
        self.origins = Origins::default();
        self.resets += 1;
    }

    fn ended(
        &self,
        outcome: BoardOutcome,
        question: Option<&expression::Question>,
    ) -> Result<Outcome, BoardError> {
        Ok(match outcome {
            BoardOutcome::Raised(traceback) => Outcome::Error(self.error(&traceback)),
            BoardOutcome::Completed => match question.map(expression::Question::answer) {
                None => Outcome::Value(value(NONE.into())),
                Some(Ok(text)) if text.len() > KEPT_LIMIT => Outcome::Failed(TOO_LONG.into()),
                Some(Ok(text)) => Outcome::Value(value(text)),
                Some(Err(NoValue::Spoiled)) => Outcome::Failed(SPOILED.into()),
                Some(Err(NoValue::TooLong)) => Outcome::Failed(TOO_LONG.into()),
            },
            BoardOutcome::Exited => Outcome::Value(value(NONE.into())),
            BoardOutcome::TimedOut(_) => return Err(BoardError::TimedOut),
            BoardOutcome::BoardReset => return Err(BoardError::Restarted),
        })
    }

    /// Converts an exception, locating its frames in the editor's files.
    fn error(&self, traceback: &Traceback) -> EvalError {
        let frames = self.origins.locate(&traceback.frames);
        let text = Origins::rewrite(traceback, &frames);
        EvalError {
            kind: traceback.exception.clone(),
            message: match traceback.kind() {
                _ if traceback.exception.is_empty() => text.clone(),
                ErrorKind::Parse if traceback.message.is_empty() => "invalid syntax".into(),
                _ => traceback.message.clone(),
            },
            // Innermost first.
            trace: frames.into_iter().rev().collect(),
            text: Some(text),
            ..EvalError::default()
        }
    }

    async fn answer(&mut self, question: &Question) -> Result<Outcome, BoardError> {
        self.load_stubs().await;
        let program = match question {
            Question::Complete { prefix } => names::completion(prefix),
            Question::LookUp { name } => names::lookup(name),
            _ => return Ok(Outcome::Help(question.unanswered())),
        };
        let mut printed = String::new();
        if let Some(program) = program
            && let Some(board) = &mut self.board
        {
            let mut running = board.start(program, Some(ANSWER_TIMEOUT)).await?;
            while let Some(output) = running.next_output().await? {
                let room = ANSWER_LIMIT.saturating_sub(printed.len());
                let text = String::from_utf8_lossy(&output);
                printed.push_str(&text[..text.floor_char_boundary(room)]);
            }
            // A name that the board does not know raises an exception; then nothing is printed.
            if let BoardOutcome::BoardReset | BoardOutcome::Exited = running.outcome().await? {
                return Err(BoardError::Restarted);
            }
        }
        let answer = |names: &mut Names| names.combine(question, &printed);
        Ok(Outcome::Help(self.shared.with_names(answer)))
    }

    /// Reads the signatures of files and stubs, once.
    async fn load_stubs(&mut self) {
        if self.shared.with_names(Names::begin_loading) {
            // Without these definitions, fewer signatures are known.
            if let Ok(Some(found)) =
                tokio::task::spawn_blocking(|| on_deep_stack(READ_LIMIT, names::load)).await
            {
                self.shared.with_names(|names| names.loaded(found));
            }
        }
    }

    /// Gives the board an `input` that reports when it reads, if it has none yet.
    async fn hook(&mut self, program_mentions_input: bool) -> Result<(), BoardError> {
        if let Reads::Unknown = self.reads {
            self.reads = self.install(Place::Builtins, Reads::OnlyTyped).await?;
        }
        if let Reads::OnlyTyped = self.reads
            && program_mentions_input
        {
            self.reads = self.install(Place::Globals, Reads::Unreported).await?;
        }
        Ok(())
    }

    async fn install(&mut self, place: Place, otherwise: Reads) -> Result<Reads, BoardError> {
        let hook = Hook::new(place);
        let Some(board) = &mut self.board else {
            return Err(BoardError::Over);
        };
        match board.exec(hook.install()).await {
            Ok(printed) => Ok(Reads::Hooked(hook.installed(&printed))),
            Err(BoardError::Raised(traceback)) => Ok(match traceback.is_missing() {
                true => otherwise,
                // Memory is full, or Ctrl-C came: the next program tries again.
                false => Reads::Unknown,
            }),
            Err(error) => Err(error),
        }
    }

    async fn unhook(&mut self) -> Result<(), BoardError> {
        match (std::mem::take(&mut self.reads), &mut self.board) {
            (Reads::Hooked(hook), Some(board)) => board.exec(hook.remove()).await.map(drop),
            _ => Ok(()),
        }
    }
}

/// Returns a value as an answer. Python's `None` is null in JSON.
fn value(text: String) -> Answer {
    Answer {
        value: match text.as_str() {
            NONE => Json::Null,
            text => text.into(),
        },
        text: Some(text),
        more: false,
    }
}

const NONE: &str = "None";

const AFTER_INTERRUPTS: &str =
    "\nThe program caught every Ctrl-C, so the board was soft-reset: its variables are gone.\n";
const AFTER_EXIT: &str =
    "\nThe program ended with SystemExit, which restarts the board: its variables are gone.\n";
const SPOILED: &str = "the value did not arrive whole, because a thread of the board printed at the same time; evaluate it again";
const TOO_LONG: &str = "the value's text is longer than 1 MiB; evaluate a part of it";

/// Longest text of a value that is kept for a client, in bytes.
const KEPT_LIMIT: usize = 1 << 20;

const UNSTOPPABLE: &str =
    "the program catches every Ctrl-C; press the board's reset button, or unplug it";

/// Time that the board has for a question about names.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest answer of the board to a question about names, in bytes.
const ANSWER_LIMIT: usize = 64 << 10;
