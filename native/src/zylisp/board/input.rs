//! A replacement for the board's `input` that reports when it reads: nothing else on the wire shows that.

use crate::random_hex;

/// A function that takes the place of the board's own `input`: it prints a mark, and then calls the board's own.
#[derive(Debug)]
pub(super) struct Hook {
    start: String,
    end: String,
    place: Place,
    /// Identity of the function on the board; any other function with its name is the user's.
    id: String,
    /// Enter key: a line feed where stdin is a file.
    enter: char,
}

/// Namespace that the function is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The built-in names, which code that is on the board already uses as well.
    Builtins,
    /// The variables of typed programs, where the built-in names cannot be changed (MicroPython v1.29
    /// `MICROPY_CAN_OVERRIDE_BUILTINS`), as on a micro:bit.
    Globals,
}

impl Hook {
    pub(super) fn new(place: Place) -> Self {
        let digits = random_hex::<8>();
        let (start, end) = digits.split_at(8);
        Self {
            start: start.into(),
            end: end.into(),
            place,
            id: String::new(),
            enter: '\r',
        }
    }

    /// Returns the program that defines the function, unless the user has an `input` of their own. It replaces a function
    /// that an earlier server left. Its source never contains the mark itself, as a traceback could repeat it.
    pub(super) fn install(&self) -> String {
        let Self { start, end, .. } = self;
        let print_mark = format!("p('\\x10{start}%s{end}'%':',end='')");
        match self.place {
            Place::Builtins => format!(
                "def {NAME}(b,p):\n \
                if getattr(b.input,'__name__','')=='{NAME}':del b.input\n \
                i=b.input\n \
                if type(i)is not type(p):return 0\n \
                def {NAME}(t=''):\n  \
                p(t,end='')\n  \
                {print_mark}\n  \
                return i()\n \
                b.input={NAME}\n \
                return id({NAME})\n\
                try:(lambda b:b.print({NAME}(b,b.print),__import__('sys').platform))(__import__('builtins'))\n\
                finally:del {NAME}"
            ),
            Place::Globals => format!(
                "if'input'not in globals()or getattr(input,'__name__','')=='{NAME}':\n \
                def {NAME}(t='',p=__import__('builtins').print):\n  \
                p(t,end='')\n  \
                {print_mark}\n  \
                return __import__('builtins').input()\n \
                input={NAME}\n \
                del {NAME}\n \
                print(id(input),__import__('sys').platform)\n\
                else:print(0,__import__('sys').platform)"
            ),
        }
    }

    /// Reads the output of the program that defines the function.
    pub(super) fn installed(mut self, printed: &[u8]) -> Self {
        let printed = String::from_utf8_lossy(printed);
        let mut words = printed.split_whitespace();
        self.id = words.next().unwrap_or_default().into();
        // MicroPython's ports to larger systems read their terminal as a file.
        if matches!(words.next(), Some("linux" | "darwin" | "win32")) {
            self.enter = '\n';
        }
        self
    }

    /// Returns the program that removes the function.
    pub(super) fn remove(&self) -> String {
        let name = match self.place {
            Place::Builtins => "__import__('builtins').input",
            Place::Globals => "input",
        };
        format!("if id({name})=={}:del {name}", self.id)
    }

    fn mark(&self) -> String {
        format!("\x10{}:{}", self.start, self.end)
    }
}

/// Returns true if a piece of input ends a line or the whole input, and thus answers a read.
pub(super) fn answers_a_read(piece: &[u8]) -> bool {
    matches!(piece.last(), Some(b'\r' | b'\n' | 4))
}

/// Name of the function, by which one is known that an earlier server left.
const NAME: &str = "_flylead_input";

/// Detector of the mark in a program's output.
#[derive(Debug)]
pub(super) struct Marks {
    /// Mark to look for; `None` if the board lacks the function.
    mark: Option<Vec<u8>>,
    enter: char,
    /// Possible beginning of a mark.
    held: Vec<u8>,
    /// True while the last line of the input lacks its end.
    is_unfinished: bool,
}

impl Marks {
    pub(super) fn new(hook: Option<&Hook>) -> Self {
        Self {
            mark: hook.map(|hook| hook.mark().into_bytes()),
            enter: hook.map_or('\r', |hook| hook.enter),
            held: Vec::new(),
            is_unfinished: false,
        }
    }

    /// Splits output at its marks, in order; `None` stands for a mark.
    pub(super) fn split(&mut self, output: &[u8]) -> Vec<Option<Vec<u8>>> {
        let Some(mark) = &self.mark else {
            return vec![Some(output.to_vec())];
        };
        self.held.extend_from_slice(output);
        let mut pieces = Vec::new();
        while let Some(at) = self.held.windows(mark.len()).position(|part| part == mark) {
            let rest = self.held.split_off(at + mark.len());
            self.held.truncate(at);
            pieces.push(Some(std::mem::replace(&mut self.held, rest)));
            pieces.push(None);
        }
        let longest = self.held.len().min(mark.len() - 1);
        let begun = (1..=longest)
            .rev()
            .find(|&length| self.held.ends_with(&mark[..length]));
        let rest = self.held.split_off(self.held.len() - begun.unwrap_or(0));
        pieces.push(Some(std::mem::replace(&mut self.held, rest)));
        pieces
    }

    /// Returns output that looked like the beginning of a mark to the end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Returns lines as the board's terminal sends them, the last of which may lack its end; an empty text stands for the
    /// end of the input: Ctrl-D, or Enter in the middle of a line, where MicroPython's `readline` ignores Ctrl-D.
    pub(super) fn lines(&mut self, text: &str) -> impl Iterator<Item = Vec<u8>> + use<> {
        let enter = self.enter.encode_utf8(&mut [0; 4]).to_owned();
        let text = match text {
            "" if self.is_unfinished => "\n".to_owned(),
            "" => "\x04".to_owned(),
            text => text.replace("\r\n", "\n"),
        };
        self.is_unfinished = !text.ends_with(['\n', '\x04']);
        let lines: Vec<_> = text
            .split_inclusive('\n')
            .map(|line| line.replace('\n', &enter).into_bytes())
            .collect();
        lines.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_however_the_output_is_cut_and_other_output_is_not_held_back() {
        let hook = Hook::new(Place::Builtins);
        let output = format!("name? {}Ada\x10\r\n{}", hook.mark(), hook.mark());
        for length in [1, 5, 100] {
            let mut marks = Marks::new(Some(&hook));
            let mut shown = String::new();
            for piece in output
                .as_bytes()
                .chunks(length)
                .flat_map(|cut| marks.split(cut))
            {
                shown += &piece.map_or("<reads>".into(), |text| String::from_utf8(text).unwrap());
            }
            assert_eq!(shown, "name? <reads>Ada\x10\r\n<reads>", "{length}");
            assert!(marks.rest().is_empty());
        }
    }

    #[test]
    fn the_end_of_the_input_ends_an_unfinished_line_and_otherwise_the_input() {
        let mut marks = Marks::new(None);
        let mut lines = |text| marks.lines(text).collect::<Vec<_>>().concat();
        assert_eq!(lines("a"), b"a");
        assert_eq!(lines(""), b"\r");
        assert_eq!(lines(""), b"\x04");
        assert_eq!(lines("b\nc\r\n"), b"b\rc\r");
        assert_eq!(lines(""), b"\x04");
    }

    #[test]
    fn the_mark_is_not_in_the_source_that_prints_it() {
        for place in [Place::Builtins, Place::Globals] {
            let hook = Hook::new(place);
            assert!(!hook.install().contains(&hook.mark()[1..]));
        }
    }
}
