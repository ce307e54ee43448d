//! The line editor, which knows where a program ends and which names exist.

use std::{borrow::Cow, collections::BTreeSet};

use flylead_native::zylisp::{
    Client, Reply,
    lang::{MANUAL, is_unfinished},
};
use rustyline::{
    CompletionType, Config, Context, Editor, Helper, Result,
    completion::{Completer, extract_word},
    highlight::{CmdKind, Highlighter, MatchingBracketHighlighter},
    hint::Hinter,
    history::FileHistory,
    validate::Validator,
};

use super::{
    evaluator,
    history::History,
    knowledge::{Knowledge, Signature},
};

/// Language of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Zylisp,
    /// Python, on a board.
    Python,
}

impl Language {
    pub(super) fn of(description: &Reply) -> Self {
        match evaluator(description) {
            Some("micropython") => Self::Python,
            _ => Self::Zylisp,
        }
    }

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Zylisp => "Zylisp",
            Self::Python => "MicroPython",
        }
    }

    pub(super) const fn prompt(self) -> &'static str {
        match self {
            Self::Zylisp => "zylisp> ",
            Self::Python => "micropython> ",
        }
    }

    /// Returns the prompt for a program's further lines, as wide as that for its first line.
    fn continuation(self) -> String {
        format!("{:>width$}", "...> ", width = self.prompt().len())
    }

    /// Returns true if a program continues on more lines.
    pub(super) fn is_unfinished(self, program: &str) -> bool {
        match self {
            _ if program.trim_start().starts_with(':') => false,
            Self::Zylisp => is_unfinished(program),
            Self::Python => is_unfinished_python(program),
        }
    }

    fn names(self) -> BTreeSet<String> {
        let of_repl = ["help", "doc", "load", "more", "quit"].map(|name| format!(":{name}"));
        let names = MANUAL.iter().map(|entry| entry.name.to_owned());
        let names = names.chain(["true".into(), "false".into()]);
        let names = names.filter(|_| self == Self::Zylisp);
        names.chain(of_repl).collect()
    }
}

/// Returns true if a program continues: a block does up to its first blank line, and so does anything open at the end
/// of its first line.
fn is_unfinished_python(program: &str) -> bool {
    let lines: Vec<_> = program.split('\n').collect();
    let blank = lines.last().is_none_or(|line| line.trim().is_empty());
    let opens = lines
        .iter()
        .any(|line| line.trim_end().ends_with([':', '(', '[', '{', ',', '\\']));
    opens && !blank
}

/// Limit of programs in the history.
const HISTORY_LIMIT: usize = 10_000;

/// A terminal for typing programs.
pub(super) struct Lines {
    editor: Editor<Words, FileHistory>,
    language: Language,
    history: History,
}

impl Lines {
    pub(super) fn new(language: Language, history: History) -> Result<Self> {
        let config = Config::builder()
            .history_ignore_space(true)
            .completion_type(CompletionType::List)
            .max_history_size(HISTORY_LIMIT)?
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Words {
            language,
            names: language.names(),
            knowledge: Knowledge::default(),
            is_program: true,
            before: String::new(),
            brackets: MatchingBracketHighlighter::new(),
        }));
        history.load(&mut editor)?;
        Ok(Self {
            editor,
            language,
            history,
        })
    }

    /// Sets the client to query for names.
    pub(super) fn ask_of(&mut self, client: Option<Client>) {
        if let Some(words) = self.editor.helper_mut() {
            words.knowledge = Knowledge::of(client);
        }
    }

    /// Waits for a line that a program reads. It is not a program, and is not remembered.
    pub(super) fn input(&mut self) -> Result<String> {
        self.is_program(false);
        let line = self.editor.readline("");
        self.is_program(true);
        line
    }

    fn is_program(&mut self, is_program: bool) {
        if let Some(words) = self.editor.helper_mut() {
            words.is_program = is_program;
        }
    }

    /// Waits for a whole program, line by line. The history keeps it as one entry, which can be edited as one.
    pub(super) fn program(&mut self) -> Result<String> {
        let mut program = self.editor.readline(self.language.prompt())?;
        while self.language.is_unfinished(&program) {
            program.push('\n');
            program += &self.next_line(&program)?;
        }
        self.editor.add_history_entry(&program)?;
        self.history.append(&mut self.editor)?;
        if let Some(words) = self.editor.helper_mut() {
            words.learn(&program);
        }
        Ok(program)
    }

    fn next_line(&mut self, before: &str) -> Result<String> {
        if let Some(words) = self.editor.helper_mut() {
            before.clone_into(&mut words.before);
        }
        let line = self.editor.readline(&self.language.continuation());
        if let Some(words) = self.editor.helper_mut() {
            words.before.clear();
        }
        line
    }
}

/// Knowledge of the editor about programs.
#[derive(Helper)]
struct Words {
    language: Language,
    /// Names of the language, and those that were typed.
    names: BTreeSet<String>,
    /// Names known to the server.
    knowledge: Knowledge,
    /// True while a program is typed, rather than its input.
    is_program: bool,
    /// Lines of the program before the current one.
    before: String,
    brackets: MatchingBracketHighlighter,
}

impl Words {
    fn learn(&mut self, program: &str) {
        let names = program.split(ends_name).filter(|name| {
            let first = name.chars().next();
            name.len() > 1 && first.is_some_and(|first| !first.is_ascii_digit())
        });
        let room = NAMES_LIMIT.saturating_sub(self.names.len());
        self.names.extend(names.take(room).map(String::from));
    }
}

impl Completer for Words {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<String>)> {
        let (start, word) = extract_word(line, position, None, ends_name);
        if let Some(names) = self.knowledge.complete(word) {
            return Ok((start, names));
        }
        let from = self.names.range(word.to_owned()..);
        let names = from.take_while(|name| name.starts_with(word)).cloned();
        Ok((start, names.collect()))
    }
}

/// Shows the usage of the function whose call is being typed.
impl Hinter for Words {
    type Hint = Signature;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<Signature> {
        let is_call = self.is_program && self.language == Language::Zylisp;
        let program = (is_call && position == line.len()).then(|| self.before.clone() + line)?;
        self.knowledge.signature(called(&program)?)
    }
}

/// Returns the function whose operands are being typed.
fn called(line: &str) -> Option<&str> {
    let mut closed = 0;
    let opens = line.char_indices().rev().find(|(_, character)| {
        match character {
            ')' => closed += 1,
            '(' if closed == 0 => return true,
            '(' => closed -= 1,
            _ => {}
        }
        false
    });
    let (name, _) = line[opens?.0 + 1..].split_once(char::is_whitespace)?;
    (!name.is_empty()).then_some(name)
}

/// Accepts any line: [`Lines::program`] asks for more.
impl Validator for Words {}

/// Shows which bracket the cursor closes.
impl Highlighter for Words {
    fn highlight<'l>(&self, line: &'l str, position: usize) -> Cow<'l, str> {
        self.brackets.highlight(line, position)
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        // Dim, because it is not typed.
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }

    fn highlight_char(&self, line: &str, position: usize, kind: CmdKind) -> bool {
        self.brackets.highlight_char(line, position, kind)
    }
}

fn ends_name(character: char) -> bool {
    character.is_whitespace() || "()[]{}\"';,".contains(character)
}

/// Limit of names kept for completion.
const NAMES_LIMIT: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::{Language, called};

    #[test]
    fn the_call_that_is_being_typed_is_the_innermost_open_one() {
        let table = [
            ("", None),
            ("(cons", None),
            ("(cons ", Some("cons")),
            ("(cons (car x) ", Some("cons")),
            ("(cons (car ", Some("car")),
            ("(list) ", None),
            ("( ", None),
        ];
        for (line, name) in table {
            assert_eq!(called(line), name, "{line:?}");
        }
    }

    #[test]
    fn a_python_block_goes_on_to_a_blank_line_and_a_statement_ends_with_its_own() {
        let table = [
            ("1 + 1", false),
            ("x = 'a (b'", false),
            ("def f():", true),
            ("def f():\n  return 1", true),
            ("def f():\n  return 1\n", false),
            ("x = [\n1,\n2]", true),
            (":help", false),
            ("", false),
        ];
        for (program, unfinished) in table {
            assert_eq!(
                Language::Python.is_unfinished(program),
                unfinished,
                "{program:?}"
            );
        }
    }
}
