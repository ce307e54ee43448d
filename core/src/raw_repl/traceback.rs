//! MicroPython's tracebacks as data.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::fmt;

/// An uncaught exception: its origin, name and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traceback {
    /// The call stack, outermost call first, as MicroPython prints it.
    pub frames: Vec<Frame>,
    /// The exception's class, such as `ZeroDivisionError`; empty if the text is not a traceback.
    pub exception: String,
    /// Text after the class and its colon; empty if there is no message.
    pub message: String,
    /// The text as sent by the board, with `\n` as its line ends.
    pub text: String,
}

/// One line of the call stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Name of the file; `<stdin>` for a program that was sent.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function or `<module>`; `None` for a syntax error.
    pub function: Option<String>,
}

/// Kind of fault behind an exception, which decides the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The source is not valid Python. None of it ran.
    Parse,
    /// The program raised at run time.
    Runtime,
    /// The board ran out of memory. Other objects on its heap may keep it from continuing.
    Memory,
    /// The board itself failed: it reset, or has disconnected.
    Hardware,
}

/// Remedy for a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Send the next program.
    Continue,
    /// Soft-reset the board and enter raw mode again.
    SoftReset,
    /// Reset the device and reconnect.
    Reconnect,
}

impl ErrorKind {
    /// Returns the remedy for this kind of fault.
    #[must_use]
    pub const fn recovery(self) -> Recovery {
        match self {
            Self::Parse | Self::Runtime => Recovery::Continue,
            Self::Memory => Recovery::SoftReset,
            Self::Hardware => Recovery::Reconnect,
        }
    }
}

impl Traceback {
    /// Reads the text in a reply's error field. Any text gives a traceback: unrecognized parts are only in `text`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let frames = text.lines().filter_map(Frame::parse).collect();
        let (exception, message) = text
            .trim_end()
            .lines()
            .fold((String::new(), String::new()), last_raise);
        Self {
            frames,
            exception,
            message,
            text,
        }
    }

    /// Returns the kind of fault.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.exception.as_str() {
            "SyntaxError" | "IndentationError" => ErrorKind::Parse,
            "MemoryError" => ErrorKind::Memory,
            _ => ErrorKind::Runtime,
        }
    }

    /// Returns true if the text belongs to an exception. MicroPython prints exceptions without a call stack, such as
    /// `MemoryError`, without a headline; other text in its place comes from a thread or a timer.
    pub(super) fn is_raise(&self) -> bool {
        self.text.contains("Traceback (most recent call last):")
            || self.exception.starts_with(char::is_uppercase)
    }

    /// Returns true for the exceptions of a missing module, function or attribute.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self.exception.as_str(),
            "ImportError" | "AttributeError" | "ModuleNotFoundError"
        )
    }

    /// Returns true if Ctrl-C ended the program.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        self.exception == "KeyboardInterrupt"
    }
}

impl Frame {
    /// Reads `  File "main.py", line 3, in work`.
    fn parse(line: &str) -> Option<Self> {
        let rest = line.trim_start().strip_prefix("File \"")?;
        let (file, rest) = rest.split_once("\", line ")?;
        let (number, rest) = rest.split_at(
            rest.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len()),
        );
        let function = rest.strip_prefix(", in ").map(ToOwned::to_owned);
        Some(Self {
            file: file.to_owned(),
            line: number.parse().ok()?,
            function,
        })
    }
}

/// Selects the last line that is neither indented nor the headline, which names the exception; further lines of a
/// message follow it.
fn last_raise((exception, message): (String, String), line: &str) -> (String, String) {
    let starts_a_raise = !line.starts_with([' ', '\t']) && !line.starts_with("Traceback (");
    match split_raise(line).filter(|_| starts_a_raise) {
        Some((name, text)) if exception.is_empty() => (name.to_owned(), text.to_owned()),
        _ if exception.is_empty() => (exception, message),
        _ => (exception, message + "\n" + line),
    }
}

/// Splits `ValueError: bad pin` into a class and a message; likewise `KeyboardInterrupt: `, and `app.errors.Late`
/// alone.
fn split_raise(line: &str) -> Option<(&str, &str)> {
    let (name, message) = line.split_once(':').unwrap_or((line, ""));
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    is_name.then(|| (name, message.trim_start()))
}

impl fmt::Display for Traceback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl core::error::Error for Traceback {}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match &self.function {
            Some(function) => write!(f, ", in {function}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parse => "parse error",
            Self::Runtime => "runtime error",
            Self::Memory => "memory error",
            Self::Hardware => "hardware error",
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn a_runtime_error_has_frames_a_name_and_a_message() {
        let traceback = Traceback::parse(
            b"Traceback (most recent call last):\r\n  File \"<stdin>\", line 2, in <module>\r\n  File \"lib/a b.py\", line 14, in work\r\nZeroDivisionError: divide by zero\r\n",
        );
        assert_eq!(traceback.exception, "ZeroDivisionError");
        assert_eq!(traceback.message, "divide by zero");
        let places: Vec<_> = traceback.frames.iter().map(ToString::to_string).collect();
        assert_eq!(places, ["<stdin>:2, in <module>", "lib/a b.py:14, in work"]);
        assert_eq!(traceback.kind(), ErrorKind::Runtime);
    }

    #[test]
    fn a_syntax_error_has_a_line_and_no_function() {
        let traceback = Traceback::parse(
            b"Traceback (most recent call last):\r\n  File \"<stdin>\", line 3\r\nSyntaxError: invalid syntax\r\n",
        );
        assert_eq!(
            traceback.frames,
            [Frame {
                file: "<stdin>".into(),
                line: 3,
                function: None
            }]
        );
        assert_eq!(traceback.kind(), ErrorKind::Parse);
    }

    #[test]
    fn an_interrupted_paste_has_no_headline() {
        assert!(Traceback::parse(b"KeyboardInterrupt: \r\n").is_interrupt());
    }

    #[test]
    fn a_message_keeps_its_further_lines() {
        let traceback =
            Traceback::parse(b"Traceback (most recent call last):\nValueError: one\ntwo: three\n");
        assert_eq!(
            (traceback.exception.as_str(), traceback.message.as_str()),
            ("ValueError", "one\ntwo: three")
        );
    }

    #[test]
    fn text_that_is_no_traceback_is_kept_as_text() {
        let traceback = Traceback::parse(b"\xff what?");
        assert_eq!(traceback.exception, "");
        assert_eq!(traceback.text, "\u{fffd} what?");
    }

    #[test]
    fn memory_errors_want_a_soft_reset() {
        let traceback =
            Traceback::parse(b"MemoryError: memory allocation failed, allocating 4096 bytes\r\n");
        assert_eq!(traceback.kind().recovery(), Recovery::SoftReset);
    }
}
