//! Ends of a command: exit codes and failures.

use std::{fmt, io, process::ExitCode};

use flylead_core::{
    board,
    raw_repl::{LostReason, Peer, Traceback},
};
use flylead_native::{
    BoardError, Gone,
    link::{Address, AddressError, OpenError},
    mount::MountError,
};
use serde_json::{Value, json};

use super::terminal::{print, say};

/// Exit codes, as `--help` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything succeeded.
    Done = 0,
    /// The program on the board raised an exception.
    Raised = 1,
    /// The command line, or a file on this computer, is wrong.
    Usage = 2,
    /// The board cannot be reached.
    NoLink = 3,
    /// The board was lost, or did not answer in time.
    Lost = 4,
    /// The board refused something with a file.
    Refused = 5,
    /// Everything succeeded except some of many files, which are listed.
    Skipped = 6,
    /// Another tool has its turn at the board.
    InUse = 7,
    /// Ctrl-C.
    Interrupted = 130,
    /// Tests failed, or could not run.
    TestsFailed,
    /// Ctrl-C has ended the tests.
    TestsInterrupted,
    /// The test does not exist, or its results cannot be written.
    TestsUsage,
    /// No tests were found.
    NoTests,
}

impl Exit {
    /// Returns the exit code for a failed request for files.
    pub(crate) fn of(error: &board::Error) -> Self {
        use board::Error as E;
        match error {
            E::Entry { error, .. } | E::Kept { error, .. } | E::Overwritten { error } => {
                Self::of(error)
            }
            E::Lost(_) | E::Stalled | E::Restarted | E::NotStopped { .. } => Self::Lost,
            E::Cancelled => Self::Interrupted,
            E::NotFound
            | E::Exists
            | E::IsDirectory
            | E::NotDirectory
            | E::NotEmpty
            | E::NoSpace
            | E::NameTooLong
            | E::Invalid
            | E::Busy
            | E::Denied
            | E::NoMemory
            | E::Damaged
            | E::BadAnswer
            | E::Unsupported { .. }
            | E::Raised(_) => Self::Refused,
        }
    }

    /// Returns the exit code with which one of our processes ended.
    pub(crate) fn with_code(code: i32) -> Option<Self> {
        let all = [
            Self::Done,
            Self::Raised,
            Self::Usage,
            Self::NoLink,
            Self::Lost,
            Self::Refused,
            Self::Skipped,
            Self::InUse,
            Self::Interrupted,
        ];
        all.into_iter().find(|exit| *exit as i32 == code)
    }

    /// Returns the name in `--json` output.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Raised => "raised",
            Self::Usage => "usage",
            Self::NoLink => "no-link",
            Self::Lost => "lost",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
            Self::InUse => "in-use",
            Self::Interrupted | Self::TestsInterrupted => "interrupted",
            Self::TestsFailed => "tests-failed",
            Self::TestsUsage => "usage",
            Self::NoTests => "no-tests",
        }
    }

    /// Returns the number for the shell. Tests use pytest's numbers:
    /// <https://docs.pytest.org/en/stable/reference/exit-codes.html>.
    const fn number(self) -> u8 {
        match self {
            Self::TestsFailed => 1,
            Self::TestsInterrupted => 2,
            Self::TestsUsage => 4,
            Self::NoTests => 5,
            Self::Done
            | Self::Raised
            | Self::Usage
            | Self::NoLink
            | Self::Lost
            | Self::Refused
            | Self::Skipped
            | Self::InUse
            | Self::Interrupted => self as u8,
        }
    }
}

/// Failure, in words for the person at the terminal and as data.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    /// Message; empty if the traceback says everything, or nobody reads it.
    message: String,
    traceback: Option<Box<Traceback>>,
    is_shown: bool,
    /// Peer that was at the port instead of a board.
    peer: Option<Peer>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl ToString) -> Self {
        Self {
            exit,
            message: message.to_string(),
            traceback: None,
            is_shown: false,
            peer: None,
        }
    }

    /// Returns the peer that was at the port instead of a board, if that is the reason.
    pub(crate) const fn peer(&self) -> Option<Peer> {
        self.peer
    }

    /// Returns the message for the person.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the exit code.
    pub(crate) const fn exit(&self) -> Exit {
        self.exit
    }

    /// Returns the failure of a command that Ctrl-C ended.
    pub(crate) fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted")
    }

    /// Adapts the failure to tests that have not run yet: Ctrl-C has pytest's exit code.
    pub(crate) fn of_tests(mut self) -> Self {
        if self.exit == Exit::Interrupted {
            self.exit = Exit::TestsInterrupted;
        }
        self
    }

    /// Returns the failure of a program that raised an exception.
    pub(crate) fn raised(exit: Exit, traceback: Traceback) -> Self {
        Self::new(exit, "").with_traceback(traceback)
    }

    /// Returns the name of a module that a program imported and the board lacks.
    pub(crate) fn missing_module(&self) -> Option<&str> {
        let traceback = self.traceback.as_deref()?;
        let is_import = matches!(&*traceback.exception, "ImportError" | "ModuleNotFoundError");
        let name = traceback.message.strip_prefix("no module named '");
        name.filter(|_| is_import)?.strip_suffix('\'')
    }

    pub(crate) fn with_traceback(self, traceback: Traceback) -> Self {
        let traceback = Some(Box::new(traceback));
        Self { traceback, ..self }
    }

    /// Adapts the failure to this address: a process that ends is not a board that was unplugged.
    pub(crate) fn at(mut self, address: &Address) -> Self {
        if let Address::Process(command) = address
            && self.message == LostReason::Closed.to_string()
        {
            self.message =
                format!("`{command}` has ended, or does not exist; run it by itself to see why");
        }
        self
    }

    /// Appends words to the message.
    pub(crate) fn adding(mut self, words: impl fmt::Display) -> Self {
        self.message = format!("{}; {words}", self.message);
        self
    }

    /// Appends the next step, on a line of its own.
    pub(crate) fn advising(mut self, step: impl fmt::Display) -> Self {
        self.message = match self.message.is_empty() {
            true => step.to_string(),
            false => format!("{}\n{step}", self.message),
        };
        self
    }

    /// Marks a failure whose JSON is already on stdout.
    pub(crate) fn shown_as_json(self) -> Self {
        let is_shown = true;
        Self { is_shown, ..self }
    }

    /// Returns true if the fault lies in the program or its file: the next one may succeed.
    pub(crate) fn is_mendable(&self) -> bool {
        matches!(self.exit, Exit::Raised | Exit::Lost) || self.traceback.is_some()
    }

    /// Reports the failure on stderr, or as JSON on stdout. A traceback is the board's own text.
    pub(crate) fn report(self, json: bool) -> ExitCode {
        match (json, &self.traceback) {
            // The reader of our output is gone.
            (_, None) if self.message.is_empty() => {}
            (true, _) if self.is_shown => {}
            // If nobody reads the output, nothing can be reported.
            (true, _) => drop(print(format!("{}\n", self.as_json()))),
            (false, traceback) => {
                traceback.iter().for_each(say);
                if !self.message.is_empty() {
                    say(format_args!("flylead: {}", self.message));
                }
            }
        }
        self.exit.into()
    }

    fn as_json(&self) -> Value {
        let last_line = |traceback: &Traceback| traceback.text.lines().last().map(str::to_owned);
        let said = self.traceback.as_deref().and_then(last_line);
        let message = match said {
            Some(said) if self.message.is_empty() => said,
            // The message is advice.
            Some(said) if self.exit == Exit::Raised => format!("{said}\n{}", self.message),
            _ => self.message.clone(),
        };
        let mut error = json!({ "code": self.exit.code(), "message": message });
        if let Some(traceback) = &self.traceback {
            error["traceback"] = traceback_as_json(traceback);
        }
        json!({ "ok": false, "error": error })
    }
}

fn traceback_as_json(traceback: &Traceback) -> Value {
    let frames = traceback
        .frames
        .iter()
        .map(|frame| json!({ "file": frame.file, "line": frame.line, "function": frame.function }));
    json!({
        "exception": traceback.exception, "message": traceback.message,
        "frames": frames.collect::<Value>(), "text": traceback.text,
    })
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Self {
        Self::new(Exit::Usage, error)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::NoBoard { .. } | OpenError::SeveralBoards { .. } => Self::new(
                Exit::NoLink,
                format!("{error}\nUse --port ADDRESS, or set FLYLEAD_PORT."),
            ),
            OpenError::NotFound {
                address: Address::Serial { .. },
            } => Self::new(
                Exit::NoLink,
                format!("{error}; `flylead ports` lists the available serial ports"),
            ),
            OpenError::InUse { .. } => Self::new(Exit::InUse, error),
            OpenError::Labgrid(error) => error.into(),
            OpenError::Names(_) => Self::new(Exit::Usage, error),
            _ => Self::new(Exit::NoLink, error),
        }
    }
}

impl From<BoardError> for Failure {
    fn from(error: BoardError) -> Self {
        let peer = match &error {
            BoardError::Lost(LostReason::NotEntered { peer, .. }) => Some(*peer),
            _ => None,
        };
        let failure = match error {
            BoardError::Raised(traceback) => Self::raised(Exit::Raised, traceback),
            BoardError::File(reason) => Self::new(Exit::of(&reason), reason),
            BoardError::Lost(LostReason::NotEntered { peer, .. })
                if peer.may_need_other_speed() =>
            {
                let message =
                    format!("{error}\nOn a serial port, `--baud auto` tries the usual speeds.");
                Self::new(Exit::Lost, message)
            }
            BoardError::Lost(LostReason::NotEntered {
                peer: Peer::CircuitPython,
                ..
            }) => Self::new(Exit::Lost, error).advising(
                "`flylead flash` with its name puts MicroPython on it: quickly press RESET twice, or hold BOOTSEL while you plug it in.",
            ),
            BoardError::Lost(_)
            | BoardError::Refused(_)
            | BoardError::TimedOut
            | BoardError::Exited
            | BoardError::Restarted
            | BoardError::Unreadable
            | BoardError::Over => Self::new(Exit::Lost, error),
        };
        Self { peer, ..failure }
    }
}

impl From<MountError> for Failure {
    fn from(error: MountError) -> Self {
        use flylead_core::mount::Failure as Why;
        let is_lost = matches!(
            error,
            MountError::Failed(Why::Lost(_) | Why::Restarted) | MountError::Closed
        );
        Self::new(if is_lost { Exit::Lost } else { Exit::Refused }, error)
    }
}

impl From<Gone> for Failure {
    fn from(_: Gone) -> Self {
        Self::new(Exit::Lost, "the connection has closed")
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Usage, ""),
            _ => Self::new(Exit::Usage, error),
        }
    }
}
