//! Programs of a simulated board, in place of Python.

use std::time::Duration;

/// A program that the device knows by its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The text that a client has to send, byte by byte, to run it.
    pub source: Vec<u8>,
    /// Steps of the program, in order.
    pub steps: Vec<Step>,
    /// End of the program after the last step.
    pub ending: Ending,
    /// Number of Ctrl-C that it catches and ignores before one ends it.
    pub shrugs: u32,
    /// A syntax error that the compiler sees after this many bytes of the source, instead of running anything.
    pub fault_at: Option<usize>,
}

/// One thing a program does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `print`: line ends become the board's.
    Print(Vec<u8>),
    /// `sys.stdout.buffer.write`: bytes as they are.
    Write(Vec<u8>),
    /// Takes time, in which Ctrl-C is heard.
    Work(Duration),
    /// Prints these bytes again and again, this often, until it is interrupted.
    Repeat(Vec<u8>, Duration),
    /// Reads a line from stdin and prints it.
    Echo,
    /// Takes until it is interrupted.
    Forever,
}

/// End of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// At its last line.
    Returns,
    /// With this exception: class, colon, message.
    Raises(String),
    /// With `SystemExit`.
    Exits,
}

impl Program {
    /// A program that does this and returns.
    #[must_use]
    pub fn new(source: &[u8], steps: Vec<Step>) -> Self {
        Self {
            source: source.to_vec(),
            steps,
            ending: Ending::Returns,
            shrugs: 0,
            fault_at: None,
        }
    }

    /// Sets the ending.
    #[must_use]
    pub fn ending(mut self, ending: Ending) -> Self {
        self.ending = ending;
        self
    }

    /// Sets the number of Ctrl-C to catch.
    #[must_use]
    pub const fn shrugging(mut self, shrugs: u32) -> Self {
        self.shrugs = shrugs;
        self
    }

    /// Adds a syntax error to the source.
    #[must_use]
    pub const fn faulty(mut self, at: usize) -> Self {
        self.fault_at = Some(at);
        self
    }
}
