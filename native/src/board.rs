//! A MicroPython board, for programs that talk to one.

pub(crate) mod memory;
mod program;
mod state;

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

use crate::{
    BoardError, Driver, Gone, Trace,
    link::{self, Address, Link, OpenError},
};

use memory::Memory;

pub use program::Program;
pub use state::BoardState;

/// A MicroPython board at the other end of a [`Link`].
///
/// ```no_run
/// # async fn talk() -> Result<(), Box<dyn std::error::Error>> {
/// use flylead::Board;
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
    /// Number of requests that the machine has taken. It counts them itself: a caller may be gone
    /// before it learns of that.
    taken: Arc<AtomicUsize>,
    /// Number of their answers that were read.
    answered: usize,
    /// Place for what is learned of the firmware, until the next connection.
    memory: Option<Memory>,
}

impl Board {
    /// Opens the link to a board.
    ///
    /// # Errors
    /// The address names nothing that can be opened.
    pub async fn connect(address: &Address) -> Result<Self, OpenError> {
        let board = Self::attach(link::open(address).await?, Config::default(), None);
        Ok(board.remembering(address).await)
    }

    /// Spares the board most questions about its firmware: what one connection learns at a serial port is kept in a small file,
    /// and used by the next one if the board there still has the same build.
    #[must_use]
    pub async fn remembering(mut self, address: &Address) -> Self {
        self.memory = Memory::of(address);
        if let Some(known) = self.memory.as_ref().and_then(Memory::read) {
            let remember = move |board: &mut board::Board, _: Instant| board.remember(known);
            // A board that is lost needs none of it.
            let _ = self.driver.command(remember).await;
        }
        self
    }

    /// Writes small files also where the board has them already, from now on.
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

    /// Keeps what was learned of the firmware.
    async fn keep(&mut self) {
        let Some(memory) = &mut self.memory else {
            return;
        };
        let known = |board: &mut board::Board, _: Instant| board.capabilities().cloned();
        if let Ok(Some(known)) = self.driver.command(known).await {
            memory.keep(&known);
        }
    }

    /// Talks to a board over a link that is open, and writes the conversation down if that is wanted. It must be called
    /// within a tokio runtime.
    #[must_use]
    pub fn attach(link: Link, config: Config, trace: Option<Trace>) -> Self {
        let mut whole = board::Config::default();
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

    /// Presses Ctrl-C: a running program raises `KeyboardInterrupt`. A request for files is cancelled.
    ///
    /// # Errors
    /// The board is lost.
    pub async fn interrupt(&mut self) -> Result<(), BoardError> {
        self.trace_command(&raw_repl::Command::Interrupt);
        self.command(board::Board::interrupt).await
    }

    /// Presses Ctrl-C, or cancels the request under way, and waits for the end of what runs, for at most `within`; each
    /// second it presses again. What it still writes is dropped. That is so for every request whose future was dropped,
    /// however early.
    ///
    /// # Errors
    /// The board is lost, or it does not end in time.
    pub async fn stop(&mut self, within: Duration) -> Result<(), BoardError> {
        self.trace_command(&raw_repl::Command::Interrupt);
        self.command(move |board, now| board.stop(now, within))
            .await?;
        loop {
            match self.next_event().await? {
                // An earlier one, whose future was dropped, tells of what ran then.
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

    /// Restarts the interpreter: every variable is gone, `boot.py` has run, `main.py` has not.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn soft_reset(&mut self) -> Result<(), BoardError> {
        self.request(Request::SoftReset, |_| ()).await.map(drop)
    }

    /// Goes back to the prompt that people and other tools expect.
    ///
    /// # Errors
    /// The board is lost or busy.
    pub async fn leave(&mut self) -> Result<(), BoardError> {
        self.request(Request::Leave, |_| ()).await.map(drop)
    }

    /// Types bytes at the board's own prompt, which it goes to if need be, and waits until the system has taken them.
    /// Enter is `\r`, Ctrl-C `\x03`; whatever runs there reads the rest.
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

    /// Returns the next output at the board's own prompt: echoes, prompts, and what runs there
    /// prints. The board is silent in raw mode, as after [`exec`](Self::exec); a request discards
    /// unread output.
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

    /// Gives the board back: ends what still runs, goes to the normal prompt and closes the link. What is still written
    /// is dropped.
    ///
    /// # Errors
    /// The board is lost, or what runs did not end within three seconds. The link is closed in any case.
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

    /// Sends what is still unsent and closes the link. The board is left as it is; [`release`](Self::release) gives it
    /// back.
    pub async fn close(mut self) {
        self.keep().await;
        self.driver.close().await;
    }

    /// Asks the board for something and waits for its answer, telling how far it is.
    ///
    /// When this future is dropped the request goes on; [`stop`](Self::stop) ends it.
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
    /// The board took it, so what is unread of an earlier one that nobody waited for is all there, and is dropped.
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

    /// Number of requests in progress, or with unread answers.
    fn unanswered(&self) -> usize {
        self.taken.load(Ordering::Relaxed) - self.answered
    }

    /// The next event, but for the last one.
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

/// Time that a running program has to end when the board is released, and a transfer to stop after
/// its current block.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(3);
