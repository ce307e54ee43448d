//! Infers a board's activity from its output.

/// Follows a board's output through its two prompts.
///
/// MicroPython's raw REPL answers each program with `OK`, its output, 4, its traceback, 4 and `>`; raw-paste mode answers
/// with `R`, 1 and a window first ("The MicroPython interactive interpreter mode", docs/reference/repl.rst of v1.28.0).
#[derive(Debug)]
pub(super) struct Watch {
    mode: Mode,
    tail: Vec<u8>,
    is_python: bool,
    /// True once the board's own line editor has shown its prompt, until a line ends.
    is_editing: bool,
    /// Number of friendly prompts seen.
    prompts: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The prompt that people type at, or anything other than MicroPython.
    Friendly,
    /// The raw REPL waits for a program; the next byte begins its answer.
    Raw,
    /// `O` was received, and `K` is expected.
    Accepting,
    /// `R` was received; the next byte says whether a program is pasted.
    Answering,
    /// The window size, of which this many bytes are missing.
    Window(u8),
    /// A program is being pasted: flow control bytes are expected.
    Pasting,
    /// The output of the program.
    Output,
    /// A traceback.
    Traceback,
    /// The raw REPL's own `>` is expected.
    Ended,
    /// Output other than an answer, usually the banner of the friendly prompt.
    Leaving,
}

/// Bytes that an observer may want to see.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Input typed at the prompt, or output of anything other than MicroPython.
    pub(super) typed: Vec<u8>,
    /// Output of a program in the raw REPL, its traceback included.
    pub(super) program: Vec<u8>,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            mode: Mode::Friendly,
            tail: Vec::new(),
            is_python: false,
            is_editing: false,
            prompts: 0,
        }
    }

    /// Processes output of the board.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Shown {
        let mut shown = Shown::default();
        for &byte in bytes {
            match self.mode {
                Mode::Friendly => shown.typed.push(byte),
                Mode::Output | Mode::Traceback if byte != END => shown.program.push(byte),
                Mode::Output
                | Mode::Traceback
                | Mode::Raw
                | Mode::Accepting
                | Mode::Answering
                | Mode::Window(_)
                | Mode::Pasting
                | Mode::Ended
                | Mode::Leaving => {}
            }
            self.mode = self.mode.after(byte);
            self.find_prompt(byte);
        }
        shown
    }

    fn find_prompt(&mut self, byte: u8) {
        if self.tail.len() == RAW_PROMPT.len() {
            self.tail.remove(0);
        }
        self.tail.push(byte);
        if byte == b'\n' {
            self.is_editing = false;
        } else if self.mode == Mode::Friendly {
            self.is_editing |= MORE_PROMPTS.iter().any(|it| self.tail.ends_with(it));
        }
        if byte == b'>' && self.tail == RAW_PROMPT {
            (self.mode, self.is_python) = (Mode::Raw, true);
        } else if byte == b' ' && self.tail.ends_with(PROMPT) {
            self.is_python = true;
            if self.mode == Mode::Leaving {
                self.mode = Mode::Friendly;
            }
            if self.mode == Mode::Friendly {
                self.is_editing = true;
                self.prompts += 1;
            }
        }
    }

    /// Returns true if the last output is the friendly prompt.
    pub(super) fn is_at_prompt(&self) -> bool {
        self.mode == Mode::Friendly && self.tail.ends_with(PROMPT)
    }

    /// Returns the number of friendly prompts that the board has shown.
    pub(super) const fn prompts(&self) -> u64 {
        self.prompts
    }

    /// Returns true if the board's own line editor waits for the rest of a line.
    pub(super) fn is_editing(&self) -> bool {
        self.mode == Mode::Friendly && self.is_python && self.is_editing
    }

    /// Returns true if the raw REPL was entered, and waits for a program.
    pub(super) fn is_at_raw_prompt(&self) -> bool {
        self.mode == Mode::Raw
    }

    /// Returns true if the board waits for the rest of a line or of a program, as far as can be observed: no program of
    /// its tool runs. Anything other than MicroPython has no programs.
    pub(super) fn awaits_input(&self) -> bool {
        match self.mode {
            Mode::Friendly => self.is_editing || !self.is_python,
            Mode::Raw | Mode::Answering | Mode::Window(_) | Mode::Pasting => true,
            Mode::Accepting | Mode::Output | Mode::Traceback | Mode::Ended | Mode::Leaving => false,
        }
    }

    /// Returns true if the peer is MicroPython, as far as was observed.
    pub(super) const fn is_python(&self) -> bool {
        self.is_python
    }

    /// Forgets the board's mode: it was interrupted, and asked for its prompt.
    pub(super) fn expect_prompt(&mut self) {
        self.mode = Mode::Leaving;
        self.is_editing = false;
        self.tail.clear();
    }
}

impl Mode {
    const fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Raw, b'O') => Self::Accepting,
            (Self::Accepting, b'K') => Self::Output,
            (Self::Raw, b'R') => Self::Answering,
            (Self::Answering, 1) => Self::Window(2),
            // Raw-paste mode is not supported: the raw REPL goes on.
            (Self::Answering, 0) | (Self::Ended, b'>') => Self::Raw,
            (Self::Window(2), _) => Self::Window(1),
            (Self::Window(_), _) => Self::Pasting,
            (Self::Pasting, END) => Self::Output,
            (Self::Output, END) => Self::Traceback,
            (Self::Traceback, END) => Self::Ended,
            (Self::Raw | Self::Accepting | Self::Answering | Self::Ended, _) => Self::Leaving,
            (
                mode @ (Self::Friendly
                | Self::Pasting
                | Self::Output
                | Self::Traceback
                | Self::Leaving),
                _,
            ) => mode,
        }
    }
}

const END: u8 = 4;
const PROMPT: &[u8] = b">>> ";
/// Prompts for the next line of a block, and of paste mode.
const MORE_PROMPTS: [&[u8]; 2] = [b"\n... ", b"\n=== "];
const RAW_PROMPT: &[u8] = b"raw REPL; CTRL-B to exit\r\n>";

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the observations for these bytes, whole and one by one, and the watch after them.
    fn shown(bytes: &[u8]) -> (Shown, Watch) {
        let mut whole = Watch::new();
        let shown = whole.push(bytes);
        let mut watch = Watch::new();
        let mut pieces = Shown::default();
        for byte in bytes {
            let piece = watch.push(&[*byte]);
            pieces.typed.extend(piece.typed);
            pieces.program.extend(piece.program);
        }
        assert_eq!(shown, pieces);
        assert_eq!(whole.mode, watch.mode);
        (shown, watch)
    }

    #[test]
    fn of_a_program_in_the_raw_repl_its_output_and_its_traceback_are_shown() {
        let (said, watch) = shown(b">>> raw REPL; CTRL-B to exit\r\n>OK42\r\n\x04Oops\x04>");
        assert_eq!(said.program, b"42\r\nOops");
        assert!(watch.is_at_raw_prompt() && watch.is_python());
        let (said, watch) =
            shown(b"raw REPL; CTRL-B to exit\r\n>R\x01\x80\x00\x01\x01\x0442\r\n\x04\x04>");
        assert_eq!(said.program, b"42\r\n");
        assert!(watch.is_at_raw_prompt());
    }

    #[test]
    fn the_banner_after_the_raw_repl_leads_back_to_the_prompt() {
        let (said, watch) =
            shown(b"raw REPL; CTRL-B to exit\r\n>OK\x04\x04>\r\nMicroPython v1.28.0; RP2\r\n>>> ");
        assert_eq!(said.program, b"");
        assert!(watch.is_at_prompt());
    }

    #[test]
    fn a_soft_reset_in_the_raw_repl_leads_back_to_its_prompt() {
        let (_, watch) = shown(
            b"raw REPL; CTRL-B to exit\r\n>OK\r\nMPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>",
        );
        assert!(watch.is_at_raw_prompt());
    }

    #[test]
    fn what_a_program_prints_is_no_prompt() {
        let (_, watch) = shown(b"raw REPL; CTRL-B to exit\r\n>OK>>> ");
        assert!(!watch.is_at_prompt());
    }

    #[test]
    fn a_board_awaits_input_until_the_line_ends_and_while_no_program_runs() {
        for (said, awaits) in [
            (&b"\r\n>>> pri"[..], true),
            (b"\r\n>>> for _ in x:\r\n... ", true),
            (
                b"\r\n>>> \r\npaste mode; Ctrl-C to cancel, Ctrl-D to finish\r\n=== x",
                true,
            ),
            (b"\r\n>>> input('x')\r\n", false),
            (b"\r\n>>> input('x')\r\nx", false),
            (b"\r\n>>> input('... ')\r\nname ... ", false),
            (b"raw REPL; CTRL-B to exit\r\n>", true),
            (b"raw REPL; CTRL-B to exit\r\n>R\x01\x80\x00\x01", true),
            (b"raw REPL; CTRL-B to exit\r\n>OK", false),
            (b"raw REPL; CTRL-B to exit\r\n>OK\n>>> ", false),
            (b"some other device", true),
        ] {
            let text = String::from_utf8_lossy(said);
            assert_eq!(shown(said).1.awaits_input(), awaits, "{text:?}");
        }
    }

    #[test]
    fn half_a_typed_line_is_no_free_prompt() {
        let (said, watch) = shown(b">>> pri");
        assert_eq!(said.typed, b">>> pri");
        assert!(!watch.is_at_prompt());
    }
}
