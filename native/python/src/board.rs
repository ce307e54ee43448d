//! The task that owns a board, and carries out the requests of all threads and all asyncio tasks in turn.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use flylead::{
    Board, BoardError, deploy, export,
    link::{self, Address, Options, turn::Ask},
};
use flylead_core::{
    board::{self, Request},
    raw_repl::{Config, Outcome},
};
use tokio::{sync::mpsc::Receiver, time};

use crate::{
    message::{Failure, Key, Progress, Value},
    outbox::Outbox,
    request::{Program, Task},
    work,
};

/// A board, once it is open.
pub(crate) struct Worker {
    address: Address,
    board: Option<Board>,
}

impl Worker {
    pub(crate) const fn new(address: Address) -> Self {
        Self {
            address,
            board: None,
        }
    }
}

impl work::Worker for Worker {
    type Task = Task;

    async fn perform(
        &mut self,
        task: Task,
        outbox: &mut Outbox,
        keys: &mut Receiver<Key>,
    ) -> Result<Value, Failure> {
        match task {
            Task::Open { within, who } => {
                open(&mut self.board, &self.address, within, &who, outbox).await
            }
            Task::Close { leaves: false } => close(self.board.take()).await,
            Task::Close { leaves: true } => {
                if let Some(board) = self.board.take() {
                    board.close().await;
                }
                Ok(Value::Nothing)
            }
            Task::Exec(_)
            | Task::Eval { .. }
            | Task::Type { .. }
            | Task::Hear { .. }
            | Task::Sync { .. }
            | Task::Ask(_) => match &mut self.board {
                Some(board) => perform(board, task, outbox, keys).await,
                None => Err(Failure::Closed),
            },
        }
    }

    fn is_owed(task: &Task) -> bool {
        matches!(task, Task::Close { .. })
    }

    /// Releases the board.
    async fn end(self) {
        let _ = close(self.board).await;
    }
}

async fn open(
    board: &mut Option<Board>,
    address: &Address,
    within: Duration,
    who: &str,
    outbox: &Outbox,
) -> Result<Value, Failure> {
    if let Some(recording) = export::recording(address) {
        return Err(Failure::Recording(recording));
    }
    let mut options = Options::default();
    options.within = within;
    // The caller's limit includes the wait for the turn.
    options.turn_within = Some(within);
    options.ask = Ask::turn(who);
    let link = tokio::select! {
        link = link::open_with(address, &options) => link.map_err(Failure::Open)?,
        () = outbox.gone() => return Err(Failure::Stopped),
    };
    *board = Some(Board::attach(link, Config::default(), None));
    Ok(Value::Nothing)
}

async fn close(board: Option<Board>) -> Result<Value, Failure> {
    match board {
        Some(board) => Ok(board.release().await.map(|()| Value::Nothing)?),
        None => Ok(Value::Nothing),
    }
}

async fn perform(
    board: &mut Board,
    task: Task,
    outbox: &mut Outbox,
    keys: &mut Receiver<Key>,
) -> Result<Value, Failure> {
    let gone = outbox.gone();
    let ended = tokio::select! {
        ended = run(board, task, outbox, keys) => ended,
        () = gone => Err(Failure::Stopped),
    };
    if let Err(Failure::Stopped | Failure::Silent) = ended {
        board.stop(STOP_TIMEOUT).await?;
    }
    ended
}

async fn run(
    board: &mut Board,
    task: Task,
    outbox: &mut Outbox,
    keys: &mut Receiver<Key>,
) -> Result<Value, Failure> {
    match task {
        Task::Exec(program) => exec(board, program, outbox, keys).await,
        Task::Eval {
            expression,
            timeout,
        } => tokio::select! {
            value = eval(board, &expression, timeout, outbox) => value,
            () = pressed(keys) => Err(Failure::Stopped),
        },
        Task::Ask(request) => tokio::select! {
            answer = ask(board, request, outbox) => answer,
            () = pressed(keys) => Err(Failure::Stopped),
        },
        Task::Sync { modules } => tokio::select! {
            sent = send(board, &modules) => sent.map(|_| Value::Nothing).map_err(Failure::Sync),
            () = pressed(keys) => Err(Failure::Stopped),
        },
        Task::Type { data, within } => {
            let typed = time::timeout(within, board.type_at_prompt(data)).await;
            typed.map_err(|_| Failure::Stuck)??;
            Ok(Value::Nothing)
        }
        Task::Hear { within } => {
            let heard = time::timeout(within, board.next_at_prompt()).await;
            // Silence is not a failure.
            Ok(Value::Bytes(heard.unwrap_or(Ok(Vec::new()))?))
        }
        Task::Open { .. } | Task::Close { .. } => Ok(Value::Nothing),
    }
}

async fn send(
    board: &mut Board,
    modules: &BTreeMap<String, PathBuf>,
) -> Result<Vec<String>, deploy::Fault> {
    deploy::send_changed(board, deploy::files(modules), &mut ()).await
}

async fn exec(
    board: &mut Board,
    program: Program,
    outbox: &mut Outbox,
    keys: &mut Receiver<Key>,
) -> Result<Value, Failure> {
    let silence = program.silence;
    let mut program = board.start(program.source, program.timeout).await?;
    loop {
        tokio::select! {
            biased;
            Some(key) = keys.recv() => match key {
                Key::Interrupt => program.interrupt().await?,
                // A program that has just ended no longer reads.
                Key::Type(bytes) => match program.send(bytes).await {
                    Ok(()) | Err(BoardError::Refused(_)) => {}
                    Err(error) => return Err(error.into()),
                },
                Key::Detach => return Ok(Value::Nothing),
            },
            output = program.next_output() => match output? {
                Some(output) => outbox.print(output).await,
                None => break,
            },
            () = passed(silence) => return Err(Failure::Silent),
        }
    }
    match program.outcome().await? {
        Outcome::Completed => Ok(Value::Nothing),
        Outcome::Exited => Err(BoardError::Exited.into()),
        Outcome::Raised(traceback) => Err(BoardError::Raised(traceback).into()),
        Outcome::TimedOut(_) => Err(BoardError::TimedOut.into()),
        Outcome::BoardReset => Err(BoardError::Restarted.into()),
    }
}

async fn eval(
    board: &mut Board,
    expression: &str,
    timeout: Option<Duration>,
    outbox: &mut Outbox,
) -> Result<Value, Failure> {
    let printed = |bytes: &[u8]| {
        if !bytes.is_empty() {
            // Output that an expression prints beside its value is shown if somebody reads it.
            outbox.try_print(bytes.to_vec());
        }
    };
    let repr = board.eval_with(expression, timeout, printed).await?;
    Ok(Value::Text(repr))
}

async fn ask(board: &mut Board, request: Request, outbox: &Outbox) -> Result<Value, Failure> {
    let report = |progress: board::Progress| {
        let progress = Progress {
            done: progress.done,
            total: progress.total,
            entries: progress.entries,
        };
        outbox.report(progress);
    };
    Ok(Value::Answer(board.request(request, report).await?))
}

/// Waits for this time, or forever if there is no limit.
async fn passed(limit: Option<Duration>) {
    match limit {
        Some(limit) => time::sleep(limit).await,
        None => std::future::pending().await,
    }
}

/// Waits for Ctrl-C, ignoring typed input.
async fn pressed(keys: &mut Receiver<Key>) {
    loop {
        match keys.recv().await {
            Some(Key::Interrupt) => return,
            Some(Key::Type(_) | Key::Detach) => {}
            None => std::future::pending().await,
        }
    }
}

/// Time that a running program has to end once nobody waits for it.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
