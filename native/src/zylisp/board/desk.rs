//! Task of a board: runs its clients' programs one after the other, and answers questions about names in between.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use flylead_core::{
    raw_repl::{ErrorKind, Outcome as BoardOutcome, Traceback},
    zylisp::{Answer, EvalError, Outcome, Question, lang::Source},
};
use tokio::sync::mpsc;

use super::{
    Job, News, Shared, Work,
    input::{Hook, Marks},
    names::{self, Names},
    running::{Ending, follow, force},
    source::{Origins, Program, on_deep_stack},
};
use crate::{Board, BoardError, board::expression};

/// A board and the state that its programs leave behind.
pub(super) struct Desk {
    pub(super) board: Board,
    pub(super) shared: Arc<Shared>,
    /// Programs that have run since the last reset, for locating the frames of tracebacks.
    origins: Origins,
    /// Replacement for `input` that reports when it reads, once the board has it.
    pub(super) hook: Option<Hook>,
    /// Number of resets so far.
    pub(super) resets: u64,
}

pub(super) async fn work(
    board: Board,
    mut jobs: mpsc::UnboundedReceiver<Job>,
    shared: Arc<Shared>,
) {
    let mut desk = Desk {
        board,
        shared,
        origins: Origins::default(),
        hook: None,
        resets: 0,
    };
    while let Some(mut job) = jobs.recv().await {
        if job.news.send(News::Started(desk.resets)).await.is_err() {
            continue;
        }
        let outcome = desk.carry_out(&mut job).await;
        // The client may have left.
        let _ = job.news.send(News::Done(outcome)).await;
    }
    // Leaves the board at its prompt as it was before, if it is still connected.
    let _ = desk.unhook().await;
    let _ = desk.board.release().await;
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
        done.unwrap_or_else(|error| Outcome::Failed(format!("the board: {error}")))
    }

    async fn run(&mut self, source: &Source, job: &mut Job) -> Result<Outcome, BoardError> {
        let program = Program::new(source);
        if program.mentions_input() {
            self.hook().await?;
        }
        self.shared.with_names(|names| names.learn(&program));
        self.origins.add(&program);
        let mut question = program.expression().map(expression::Question::new);
        let code = program.code(question.as_ref().map(expression::Question::source));
        let mut marks = Marks::new(self.hook.as_ref());
        let mut running = self.board.start(code, None).await?;
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
                self.reset(job).await?;
                return Ok(Outcome::Interrupted);
            }
        };
        if let BoardOutcome::BoardReset | BoardOutcome::Exited = outcome {
            self.forget();
        }
        self.ended(outcome, &program, question.as_ref())
    }

    /// Restarts the interpreter, so that old variables are gone.
    async fn reset(&mut self, job: &Job) -> Result<(), BoardError> {
        self.board.soft_reset().await?;
        self.forget();
        self.resets += 1;
        // The client may have left.
        let _ = job.news.send(News::Reset(self.resets)).await;
        Ok(())
    }

    fn forget(&mut self) {
        self.hook = None;
        self.origins = Origins::default();
    }

    fn ended(
        &self,
        outcome: BoardOutcome,
        program: &Program,
        question: Option<&expression::Question>,
    ) -> Result<Outcome, BoardError> {
        Ok(match outcome {
            BoardOutcome::Raised(traceback) => Outcome::Error(self.error(&traceback)),
            BoardOutcome::Completed => Outcome::Value(match question {
                Some(question) => {
                    let text = question.answer().unwrap_or_default();
                    Answer {
                        value: text.clone().into(),
                        text: Some(text),
                        more: false,
                    }
                }
                None => Answer {
                    text: program.wants_value().then(|| "None".into()),
                    ..Answer::default()
                },
            }),
            BoardOutcome::Exited => Outcome::Value(Answer::default()),
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
        if let Some(program) = program {
            let mut running = self.board.start(program, Some(ANSWER_TIMEOUT)).await?;
            while let Some(output) = running.next_output().await? {
                let room = ANSWER_LIMIT.saturating_sub(printed.len());
                let text = String::from_utf8_lossy(&output);
                printed.push_str(&text[..text.floor_char_boundary(room)]);
            }
            // A name that the board does not know raises an exception; then nothing is printed.
            running.outcome().await?;
        }
        let answer = |names: &mut Names| names.combine(question, &printed);
        Ok(Outcome::Help(self.shared.with_names(answer)))
    }

    /// Reads the signatures of files and stubs, once.
    async fn load_stubs(&mut self) {
        if self.shared.with_names(Names::begin_loading) {
            // Without these definitions, fewer signatures are known.
            if let Ok(Some(found)) =
                tokio::task::spawn_blocking(|| on_deep_stack(names::load)).await
            {
                self.shared.with_names(|names| names.loaded(found));
            }
        }
    }

    /// Gives the board an `input` that reports when it reads.
    async fn hook(&mut self) -> Result<(), BoardError> {
        if self.hook.is_none() {
            let hook = Hook::new();
            let printed = self.board.exec(hook.install()).await;
            self.hook = match printed {
                Ok(printed) => Some(hook.installed(&printed)),
                // A board without `builtins` reads all the same, but does not report it.
                Err(BoardError::Raised(_)) => None,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    async fn unhook(&mut self) -> Result<(), BoardError> {
        match self.hook.take() {
            Some(hook) => self.board.exec(hook.remove()).await.map(drop),
            None => Ok(()),
        }
    }
}

const UNSTOPPABLE: &str =
    "the program catches every Ctrl-C; press the board's reset button, or unplug it";

/// Time that the board has for a question about names.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest answer of the board to a question about names, in bytes.
const ANSWER_LIMIT: usize = 64 << 10;
