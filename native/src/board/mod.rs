//! A MicroPython board, for programs that talk to one.

pub(crate) mod driver;
mod error;
pub(crate) mod expression;
mod files;
pub(crate) mod memory;
mod program;
mod state;
mod trace;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use flylead_core::{
    Instant,
    board::{self, Answer, Event, Progress, Request},
    raw_repl::{self, CommandError, Config, Mode},
    trace::Record,
};

use crate::link::{self, Address, Link, OpenError};

use memory::Memory;

pub use driver::{Driver, Gone};
pub use error::BoardError;
pub use files::Reading;
pub use program::Program;
pub use state::BoardState;
pub use trace::Trace;

/// A MicroPython board at the other end of a [`Link`].
///
/// ```no_run
/// # async fn talk() -> Result<(), Box<dyn std::error::Error>> {
/// use flylead_native::Board;
///
/// let mut board = Board::connect(&"/dev/ttyACM0".parse()?).await?;
/// println!("{}", board.eval("6 * 7").await?);
///
/// let mut program = board.start("for i in range(3): print(i)", None).await?;
/// while let Some(output) = program.next_output().await? {
///     print!("{}", String::from_utf8_lossy(&output));
/// }
/// board.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Connecting changes nothing on the board. The first program interrupts whatever runs there; nothing is ever reset
/// unless [`soft_reset`](Self::soft_reset) is called or the program itself asks for it.
#[derive(Debug)]
pub struct Board {
    driver: Driver<board::Board>,
    trace: Option<Trace>,
    /// Number of requests that the machine has taken. The machine counts them itself: a caller may be dropped before it
    /// learns that its request was taken.
    taken: Arc<AtomicUsize>,
    /// Number of answers that were read.
    answered: usize,
    /// Cache for facts about the firmware, until the next connection.
    memory: Option<Memory>,
}

impl Board {
    /// Opens the link to a board.
    ///
    /// # Errors
    /// The address leads to nothing that can be opened.
    pub async fn connect(address: &Address) -> Result<Self, OpenError> {
        let board = Self::attach(link::open(address).await?, Config::default(), None);
        Ok(board.remembering(address).await)
    }

    /// Saves most queries about the firmware: facts learned over a serial port are kept in a small file, and reused by
    /// the next connection if the board there still has the same build.
    #[must_use]
    pub async fn remembering(mut self, address: &Address) -> Self {
        self.memory = Memory::of(address);
        if let Some(known) = self.memory.as_ref().and_then(Memory::read) {
            let remember = move |board: &mut board::Board, _: Instant| board.remember(known);
            // A lost board needs none of it.
            let _ = self.driver.command(remember).await;
        }
        self
    }

    /// Rewrites small files from now on even if the board has them already.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn rewrite_all(&mut self) -> Result<(), BoardError> {
        self.command(|board, _| {
            board.rewrite(true);
            Ok(())
        })
        .await
    }

    /// Stores the facts learned about the firmware.
    async fn keep(&mut self) {
        let Some(memory) = &mut self.memory else {
            return;
        };
        let known = |board: &mut board::Board, _: Instant| board.capabilities().cloned();
        if let Ok(Some(known)) = self.driver.command(known).await {
            memory.keep(&known);
        }
    }

    /// Talks to a board over an open link, and records the conversation if a trace is given. It must be called within a
    /// tokio runtime.
    ///
    /// A board that has a long `enter_timeout` to reach its prompt may also be silent for that long in the middle of a
    /// transfer, for at most two minutes.
    #[must_use]
    pub fn attach(link: Link, config: Config, trace: Option<Trace>) -> Self {
        let mut whole = board::Config::default();
        let patience = config.enter_timeout.min(LONGEST_SILENCE);
        whole.stall_timeout = whole.stall_timeout.max(patience);
        whole.repl = config;
        whole.text_link = link.is_text_only();
        let machine = board::Board::new(whole);
        let driver = match trace.clone() {
            Some(trace) => Driver::spawn_observed(trace.wrap(link), machine, move |event| {
                trace.record(&Record::Event(event.to_string()));
            }),
            None => Driver::spawn(link, machine),
        };
        Self {
            driver,
            trace,
            taken: Arc::default(),
            answered: 0,
            memory: None,
        }
    }

    /// Presses Ctrl-C: a running program raises `KeyboardInterrupt`, and a file request is cancelled.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn interrupt(&mut self) -> Result<(), BoardError> {
        self.trace_command(&raw_repl::Command::Interrupt);
        self.command(board::Board::interrupt).await
    }

    /// Presses Ctrl-C, or cancels the request in progress, and waits at most `within` for the running program or
    /// request to end, pressing Ctrl-C again each second. Further output is dropped. This also covers requests whose
    /// future was dropped, however early.
    ///
    /// # Errors
    /// The board is lost, or what runs there does not end in time.
    pub async fn stop(&mut self, within: Duration) -> Result<(), BoardError> {
        self.trace_command(&raw_repl::Command::Interrupt);
        self.command(move |board, now| board.stop(now, within))
            .await?;
        loop {
            match self.next_event().await? {
                // An earlier stop, whose future was dropped, reports on what ran then.
                Event::Stopped(Ok(())) if self.unanswered() > 0 => {}
                Event::Stopped(stopped) => return Ok(stopped?),
                Event::Terminal(_)
                | Event::Stdout(_)
                | Event::Progress(_)
                | Event::Content(_)
                | Event::Answered(_)
                | Event::Released(_)
                | Event::Lost { .. } => {}
            }
        }
    }

    /// Restarts the interpreter: all variables are lost, `boot.py` has run, `main.py` has not.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn soft_reset(&mut self) -> Result<(), BoardError> {
        self.request(Request::SoftReset, |_| ()).await.map(drop)
    }

    /// Returns the board to the prompt that people and other tools expect.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn leave(&mut self) -> Result<(), BoardError> {
        self.request(Request::Leave, |_| ()).await.map(drop)
    }

    /// Types bytes at the board's own prompt, entering it first if necessary, and waits until the operating system has
    /// taken them. Enter is `\r`, Ctrl-C `\x03`; a program running there reads the rest.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn type_at_prompt(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), BoardError> {
        let bytes = bytes.into();
        let mode = self.driver.command(|board, _| board.mode()).await;
        if mode == Ok(Mode::Raw) {
            self.leave().await?;
        }
        self.trace_command(&raw_repl::Command::Send(bytes.clone()));
        self.command(move |board, _| board.send(&bytes)).await?;
        match self.driver.flush().await {
            Ok(()) => Ok(()),
            Err(Gone) => Err(self.last_words().await),
        }
    }

    /// Returns the next output at the board's own prompt: echoes, prompts, and the output of programs running there.
    /// The board is silent in raw mode, as after [`exec`](Self::exec); a request discards unread output.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn next_at_prompt(&mut self) -> Result<Vec<u8>, BoardError> {
        loop {
            if let Event::Terminal(bytes) = self.next_event().await? {
                return Ok(bytes);
            }
        }
    }

    /// Releases the board: ends a running program, returns to the normal prompt and closes the link. Further output is
    /// dropped.
    ///
    /// # Errors
    /// The board is lost, or a running program did not end within three seconds. The link is closed in any case.
    pub async fn release(mut self) -> Result<(), BoardError> {
        let released = self.go_to_prompt().await;
        self.close().await;
        released
    }

    async fn go_to_prompt(&mut self) -> Result<(), BoardError> {
        self.trace_command(&raw_repl::Command::Leave);
        self.command(|board, now| board.release(now, RELEASE_TIMEOUT))
            .await?;
        loop {
            if let Event::Released(released) = self.next_event().await? {
                return Ok(released?);
            }
        }
    }

    /// Sends pending data and closes the link. The board is left as it is; use [`release`](Self::release) to return it
    /// to its prompt.
    pub async fn close(mut self) {
        self.keep().await;
        self.driver.close().await;
    }

    /// Sends a request to the board and waits for its answer, reporting progress.
    ///
    /// The request continues if this future is dropped; [`stop`](Self::stop) ends it.
    ///
    /// # Errors
    /// The board is lost or busy, or the request failed.
    pub async fn request(
        &mut self,
        request: Request,
        mut on_progress: impl FnMut(Progress),
    ) -> Result<Answer, BoardError> {
        self.begin(request).await?;
        loop {
            match self.next_event().await? {
                Event::Progress(progress) => on_progress(progress),
                Event::Answered(answer) => return Ok(answer?),
                Event::Terminal(_)
                | Event::Stdout(_)
                | Event::Content(_)
                | Event::Stopped(_)
                | Event::Released(_)
                | Event::Lost { .. } => {}
            }
        }
    }

    /// Begins a request.
    ///
    /// Once the board has taken it, the unread events of an earlier, abandoned request are complete, and are dropped.
    pub(crate) async fn begin(&mut self, request: Request) -> Result<(), BoardError> {
        self.trace_command(&request);
        let taken = Arc::clone(&self.taken);
        let request = move |board: &mut board::Board, now| {
            board.request(now, request)?;
            taken.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        self.command(request).await?;
        while self.unanswered() > 1 {
            self.next_event().await?;
        }
        Ok(())
    }

    /// Returns true if the link has closed.
    #[cfg(feature = "editors")]
    pub(crate) async fn is_gone(&self) -> bool {
        // The runtime hears of a port that has just hung up while it waits, and the driver takes commands before it reads: the
        // first one may still pass.
        tokio::time::sleep(HEARD_AFTER).await;
        self.driver.command(|_, _| ()).await.is_err()
            || self.driver.command(|_, _| ()).await.is_err()
    }

    /// Gives the machine a command that it may refuse.
    async fn command(
        &mut self,
        command: impl FnOnce(&mut board::Board, Instant) -> Result<(), CommandError> + Send + 'static,
    ) -> Result<(), BoardError> {
        match self.driver.command(command).await {
            Ok(done) => Ok(done?),
            Err(Gone) => Err(self.last_words().await),
        }
    }

    /// Writes a command into the trace, if there is one.
    fn trace_command(&self, command: &dyn fmt::Display) {
        if let Some(trace) = &self.trace {
            trace.record(&Record::Command(command.to_string()));
        }
    }

    /// Returns the reason for the loss of the board, unless it was already reported.
    async fn last_words(&mut self) -> BoardError {
        loop {
            if let Err(error) = self.next_event().await {
                return error;
            }
        }
    }

    /// Returns the number of requests in progress, or with unread answers.
    fn unanswered(&self) -> usize {
        self.taken.load(Ordering::Relaxed) - self.answered
    }

    /// Returns the next event, except the last one.
    pub(crate) async fn next_event(&mut self) -> Result<Event, BoardError> {
        match self.driver.next_event().await {
            Some(Event::Lost { reason }) => Err(BoardError::Lost(reason)),
            // The loss itself comes next.
            Some(Event::Answered(Err(board::Error::Lost(_)))) => Box::pin(self.next_event()).await,
            Some(event) => {
                self.answered += usize::from(matches!(event, Event::Answered(_)));
                Ok(event)
            }
            None => Err(BoardError::Over),
        }
    }
}

/// Time for the runtime to hear of a port that has hung up.
#[cfg(feature = "editors")]
const HEARD_AFTER: Duration = Duration::from_millis(1);
/// Time that a running program has to end, or a transfer to stop after its current block, when the board is released.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(3);
/// Limit of a board's silence in the middle of a transfer, however long it may take to reach its prompt.
const LONGEST_SILENCE: Duration = Duration::from_secs(120);
