//! The task that owns a board, and carries out the requests of all threads and all asyncio tasks in turn.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use flylead_core::{
    board::{self, Request},
    raw_repl::{Config, Outcome},
};
use flylead_native::{
    Board, BoardError, deploy, export,
    link::{self, Address, Options, Recovery, turn::Ask},
};
use tokio::{sync::mpsc::Receiver, time};

use crate::{
    message::{Failure, Key, Progress, Value},
    outbox::Outbox,
    request::{Opening, Program, Task},
    turn::Turn,
    work,
};

/// A board, once it is open.
pub(crate) struct Worker {
    address: Address,
    board: Option<Board>,
    /// Way to open the board, from its opening to its closing. In between, other tools may have their turns.
    opening: Option<Opening>,
    turn: Turn,
}

impl Worker {
    pub(crate) fn new(address: Address) -> Self {
        Self {
            address,
            board: None,
            opening: None,
            turn: Turn::new(),
        }
    }

    /// Opens the board, or waits for the next turn at it.
    async fn open(&self, opening: &Opening, outbox: &Outbox) -> Result<Board, Failure> {
        if let Some(recording) = export::recording(&self.address) {
            return Err(Failure::Recording(recording));
        }
        let opened = async {
            match &opening.recover {
                Some(way) => self.open_answering(opening, way).await,
                None => self.attach(opening).await,
            }
        };
        tokio::select! {
            opened = opened => opened,
            () = outbox.gone() => Err(Failure::Stopped),
        }
    }

    async fn attach(&self, opening: &Opening) -> Result<Board, Failure> {
        let mut options = Options::default();
        options.within = opening.within;
        // The caller's limit includes the wait for the turn.
        options.turn_within = Some(opening.within);
        options.ask = Ask::turn(&opening.who);
        options.news = Some(self.turn.begin());
        let link = link::open_with(&self.address, &options).await;
        let link = link.map_err(Failure::Open)?;
        Ok(Board::attach(link, Config::default(), None))
    }

    /// Opens a board that takes a program, and restarts it if it does not.
    async fn open_answering(&self, opening: &Opening, way: &Recovery) -> Result<Board, Failure> {
        let answering = || async {
            let mut board = self.attach(opening).await?;
            match board.exec("").await {
                Ok(_) => Ok(board),
                Err(error) => {
                    board.close().await;
                    Err(error.into())
                }
            }
        };
        match answering().await {
            // Another tool that uses the board is no reason to restart it.
            Err(Failure::Board(_)) => {}
            opened => return opened,
        }
        way.bring_back(&self.address, answering)
            .await
            .map_err(|failed| match failed {
                link::NotRestarted::Restart(error) => Failure::NotRestarted(error),
                link::NotRestarted::Connect(failure) => failure,
            })
    }

    /// Passes the turn on to another tool. The next request waits for the next turn.
    async fn pass_on(&mut self) {
        if let Some(board) = self.board.take() {
            // A board that is lost is noticed by the next request.
            let _ = board.release().await;
        }
    }

    async fn board(&mut self, outbox: &Outbox) -> Result<&mut Board, Failure> {
        let Some(opening) = &self.opening else {
            return Err(Failure::Closed);
        };
        let board = match self.board.take() {
            Some(board) => board,
            None => self.open(opening, outbox).await?,
        };
        Ok(self.board.insert(board))
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
            Task::Open(opening) => {
                self.board = Some(self.open(&opening, outbox).await?);
                self.opening = Some(opening);
                self.turn.rest(false);
                Ok(Value::Nothing)
            }
            Task::Close { leaves } => {
                self.opening = None;
                match (self.board.take(), leaves) {
                    (board, false) => close(board).await,
                    (Some(board), true) => {
                        board.close().await;
                        Ok(Value::Nothing)
                    }
                    (None, true) => Ok(Value::Nothing),
                }
            }
            Task::Rest => {
                self.pass_on().await;
                Ok(Value::Nothing)
            }
            Task::Keep(keeps) => {
                if keeps {
                    self.board(outbox).await?;
                }
                self.turn.keep(keeps);
                Ok(Value::Nothing)
            }
            Task::Exec(_)
            | Task::Eval { .. }
            | Task::Type { .. }
            | Task::Hear { .. }
            | Task::Sync { .. }
            | Task::Ask(_) => {
                if self.turn.is_overdue() {
                    self.pass_on().await;
                }
                let types = matches!(task, Task::Type { .. } | Task::Hear { .. });
                let performed = perform(self.board(outbox).await?, task, outbox, keys).await;
                self.turn.rest(types);
                performed
            }
        }
    }

    fn is_owed(task: &Task) -> bool {
        matches!(task, Task::Close { .. } | Task::Keep(false))
    }

    async fn is_free(&self) {
        match self.board {
            Some(_) => self.turn.is_due().await,
            None => std::future::pending().await,
        }
    }

    async fn rest(&mut self) {
        self.pass_on().await;
    }

    /// Releases the board.
    async fn end(self) {
        let _ = close(self.board).await;
    }
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
        Task::Open(_) | Task::Rest | Task::Keep(_) | Task::Close { .. } => Ok(Value::Nothing),
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
