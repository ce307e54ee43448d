//! A MicroPython board, for programs that talk to one.

use std::{fmt, time::Duration};

use flylead_core::{
    Instant,
    board::{self, FileError},
    raw_repl::{Command, CommandError, Config, Event, LostReason, Outcome, Traceback},
    trace::Record,
};

use tokio::time;

use crate::{
    Driver, Gone, Trace, expression,
    link::{self, Address, Link, OpenError},
};

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
    /// Programs and requests whose end has not been read.
    unfinished: usize,
}

/// A program on its way through a [`Board`].
///
/// Dropping it does not end the program: the board stays busy until [`Board::stop`] or the program's own end.
#[derive(Debug)]
#[must_use = "the board is busy until the program has ended"]
pub struct Program<'a> {
    board: &'a mut Board,
    outcome: Option<Outcome>,
}

/// What can go wrong with a board whose link is open.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoardError {
    /// The conversation is over; only a new connection helps.
    Lost(LostReason),
    /// The board was not in a state for this. Nothing was sent.
    Refused(CommandError),
    /// The program raised an exception.
    Raised(Traceback),
    /// The program ran past its time, and was interrupted.
    TimedOut,
    /// The program ended the interpreter before it answered.
    Exited,
    /// The board restarted in the middle of the program.
    Restarted,
    /// The board's answer cannot be read.
    Unreadable,
    /// A request for a file failed.
    File(FileError),
    /// The board was closed or lost before, and has said so.
    Over,
}

impl Board {
    /// Opens the link to a board.
    pub async fn connect(address: &Address) -> Result<Self, OpenError> {
        Ok(Self::attach(
            link::open(address).await?,
            Config::default(),
            None,
        ))
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
            unfinished: 0,
        }
    }

    /// Starts a program, interrupting whatever runs on the board. Past `timeout`, if there is one, it is interrupted
    /// itself.
    pub async fn start(
        &mut self,
        source: impl Into<Vec<u8>>,
        timeout: Option<Duration>,
    ) -> Result<Program<'_>, BoardError> {
        let source = source.into();
        self.command(Command::Exec { source, timeout }).await?;
        self.begin().await?;
        Ok(Program {
            board: self,
            outcome: None,
        })
    }

    /// Runs a program to its end, and returns what it wrote.
    pub async fn exec(&mut self, source: impl Into<Vec<u8>>) -> Result<Vec<u8>, BoardError> {
        let mut program = self.start(source, None).await?;
        let mut written = Vec::new();
        while let Some(output) = program.next_output().await? {
            written.extend(output);
        }
        match program.outcome().await? {
            Outcome::Completed | Outcome::Exited => Ok(written),
            outcome => Err(outcome.into()),
        }
    }

    /// The value of an expression, as Python's `repr` writes it.
    ///
    /// What the expression itself prints cannot be mistaken for its value; it is dropped.
    pub async fn eval(&mut self, expression: &str) -> Result<String, BoardError> {
        self.eval_with(expression, None, |_| ()).await
    }

    /// Like [`eval`](Self::eval), within a time, and with what the expression prints.
    pub async fn eval_with(
        &mut self,
        expression: &str,
        timeout: Option<Duration>,
        mut printed: impl FnMut(&[u8]),
    ) -> Result<String, BoardError> {
        let mut question = expression::Question::new(expression);
        let mut program = self.start(question.source(), timeout).await?;
        while let Some(output) = program.next_output().await? {
            printed(&question.push(&output));
        }
        match program.outcome().await? {
            Outcome::Completed => question.answer().ok_or(BoardError::Unreadable),
            outcome => Err(outcome.into()),
        }
    }

    /// Presses Ctrl-C: a running program raises `KeyboardInterrupt`.
    pub async fn interrupt(&mut self) -> Result<(), BoardError> {
        self.command(Command::Interrupt).await
    }

    /// Presses Ctrl-C, or cancels the request under way, and waits for the end of what runs, for at most `within`. What
    /// it still writes is dropped.
    pub async fn stop(&mut self, within: Duration) -> Result<(), BoardError> {
        if self.unfinished > 0 {
            self.interrupt().await?;
        }
        let ended = time::timeout(within, self.read_to_the_end()).await;
        ended.unwrap_or(Err(BoardError::TimedOut))
    }

    /// Restarts the interpreter: every variable is gone, `boot.py` has run, `main.py` has not.
    pub async fn soft_reset(&mut self) -> Result<(), BoardError> {
        self.command(Command::SoftReset).await?;
        self.wait_for(&Event::SoftReset).await
    }

    /// Goes back to the prompt that people and other tools expect.
    pub async fn leave(&mut self) -> Result<(), BoardError> {
        self.command(Command::Leave).await?;
        self.wait_for(&Event::Left).await
    }

    /// Sends what is still unsent and closes the link. The board is left as it is; [`leave`](Self::leave) it first.
    pub async fn close(self) {
        self.driver.close().await;
    }

    async fn command(&mut self, command: Command) -> Result<(), BoardError> {
        self.trace_command(&command);
        self.tell(move |board, now| match command {
            Command::Interrupt => board.interrupt(now),
            command => command.apply(board.repl_mut()?, now),
        })
        .await
    }

    /// Gives the machine a command that it may refuse.
    pub(crate) async fn tell(
        &mut self,
        command: impl FnOnce(&mut board::Board, Instant) -> Result<(), CommandError> + Send + 'static,
    ) -> Result<(), BoardError> {
        match self.driver.command(command).await {
            Ok(done) => Ok(done?),
            Err(Gone) => Err(self.last_words().await),
        }
    }

    /// Writes a command into the trace, if there is one.
    pub(crate) fn trace_command(&self, command: &dyn fmt::Display) {
        if let Some(trace) = &self.trace {
            trace.record(&Record::Command(command.to_string()));
        }
    }

    /// Why the board is gone, if that has not been said yet.
    async fn last_words(&mut self) -> BoardError {
        loop {
            if let Err(error) = self.next_event().await {
                return error;
            }
        }
    }

    /// Notes that one more program or request is under way, which the board has taken.
    ///
    /// It took it, so what is unread of an earlier one that nobody waited for is all there.
    pub(crate) async fn begin(&mut self) -> Result<(), BoardError> {
        self.read_to_the_end().await?;
        self.unfinished = 1;
        Ok(())
    }

    async fn read_to_the_end(&mut self) -> Result<(), BoardError> {
        while self.unfinished > 0 {
            self.next_board_event().await?;
        }
        Ok(())
    }

    async fn wait_for(&mut self, event: &Event) -> Result<(), BoardError> {
        while self.next_event().await? != *event {}
        Ok(())
    }

    /// The REPL's next event; those of file requests are not for whoever asks here.
    async fn next_event(&mut self) -> Result<Event, BoardError> {
        loop {
            if let board::Event::Repl(event) = self.next_board_event().await? {
                return Ok(event);
            }
        }
    }

    /// The next event of any kind, but for the last one.
    pub(crate) async fn next_board_event(&mut self) -> Result<board::Event, BoardError> {
        match self.driver.next_event().await {
            Some(board::Event::Repl(Event::Lost { reason })) => Err(BoardError::Lost(reason)),
            Some(event) => {
                let ended = matches!(
                    event,
                    board::Event::Repl(Event::Finished(_)) | board::Event::Answered(_)
                );
                self.unfinished = self.unfinished.saturating_sub(usize::from(ended));
                Ok(event)
            }
            None => Err(BoardError::Over),
        }
    }
}

impl Program<'_> {
    /// The next piece of output, as it comes; `None` when the program has ended.
    ///
    /// Cancel safe: no output is lost when this future is dropped.
    pub async fn next_output(&mut self) -> Result<Option<Vec<u8>>, BoardError> {
        while self.outcome.is_none() {
            match self.board.next_event().await? {
                Event::Stdout(output) => return Ok(Some(output)),
                Event::Finished(outcome) => self.outcome = Some(outcome),
                _ => {}
            }
        }
        Ok(None)
    }

    /// How it ended, waiting for that and for the reset that a `SystemExit` brings. What it still writes is dropped.
    pub async fn outcome(mut self) -> Result<Outcome, BoardError> {
        while self.next_output().await?.is_some() {}
        let outcome = self.outcome.take().ok_or(BoardError::Over)?;
        if outcome == Outcome::Exited {
            self.board.wait_for(&Event::SoftReset).await?;
        }
        Ok(outcome)
    }

    /// Presses Ctrl-C.
    pub async fn interrupt(&mut self) -> Result<(), BoardError> {
        self.board.interrupt().await
    }

    /// Types into the program's stdin.
    pub async fn send(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), BoardError> {
        self.board.command(Command::Send(bytes.into())).await
    }
}

impl From<CommandError> for BoardError {
    fn from(error: CommandError) -> Self {
        Self::Refused(error)
    }
}

impl From<FileError> for BoardError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Lost(reason) => Self::Lost(reason),
            error => Self::File(error),
        }
    }
}

impl From<Outcome> for BoardError {
    /// Why there is no answer.
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Raised(traceback) => Self::Raised(traceback),
            Outcome::TimedOut(_) => Self::TimedOut,
            Outcome::Exited => Self::Exited,
            Outcome::BoardReset => Self::Restarted,
            _ => Self::Unreadable,
        }
    }
}

impl fmt::Display for BoardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(reason) => reason.fmt(f),
            Self::Refused(error) => error.fmt(f),
            Self::Raised(traceback) => traceback.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::TimedOut => f.write_str("the program ran past its time and was interrupted"),
            Self::Exited => f.write_str("the program ended the interpreter"),
            Self::Restarted => f.write_str("the board restarted in the middle of the program"),
            Self::Unreadable => f.write_str("the board's answer cannot be read"),
            Self::Over => f.write_str("the connection to the board is over"),
        }
    }
}

impl std::error::Error for BoardError {}
