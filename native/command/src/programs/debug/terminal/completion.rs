//! Names that Tab completes: commands, and what the frame at hand and its module mention.

use std::collections::BTreeSet;

use rustyline::{
    Context, Helper, Highlighter, Hinter, Result, Validator,
    completion::{Completer, extract_word},
};

use super::{super::Failure, Terminal};

/// Names that Tab completes.
#[derive(Debug, Clone, Default, Helper, Highlighter, Hinter, Validator)]
pub(super) struct Names(BTreeSet<String>);

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<String>)> {
        let (start, word) = extract_word(line, position, None, ends_name);
        let is_first = line[..start].trim().is_empty();
        let commands = COMMANDS.iter().filter(|_| is_first).copied();
        let names = self.0.iter().map(String::as_str).chain(commands);
        let found: BTreeSet<_> = names.filter(|name| name.starts_with(word)).collect();
        Ok((start, found.into_iter().map(str::to_owned).collect()))
    }
}

fn ends_name(one: char) -> bool {
    !one.is_alphanumeric() && one != '_'
}

impl Terminal {
    /// Learns the names of the frame at hand.
    pub(super) async fn learn_names(&mut self) -> std::result::Result<(), Failure> {
        let frame = self.frame;
        let names = self.session(move |session, _| session.names(frame));
        self.typist.names = Names(names.await?);
        Ok(())
    }
}

/// Commands of several letters.
const COMMANDS: [&str; 37] = [
    "args",
    "break",
    "clear",
    "commands",
    "condition",
    "continue",
    "disable",
    "display",
    "down",
    "enable",
    "globals",
    "help",
    "hits",
    "ignore",
    "interact",
    "list",
    "ll",
    "locals",
    "log",
    "longlist",
    "next",
    "pp",
    "print",
    "quit",
    "restart",
    "return",
    "silent",
    "source",
    "step",
    "tbreak",
    "type",
    "undisplay",
    "until",
    "up",
    "whatis",
    "where",
    "end",
];

#[cfg(test)]
mod tests {
    use rustyline::history::DefaultHistory;

    use super::*;

    #[test]
    fn tab_completes_commands_and_names() {
        let names = Names(["speed", "spin", "read"].map(str::to_owned).into());
        let history = DefaultHistory::new();
        let complete = |line: &str| {
            let context = Context::new(&history);
            let completed = names.complete(line, line.len(), &context);
            completed.expect("it does not read")
        };
        assert_eq!(complete("res"), (0, vec!["restart".to_owned()]));
        assert_eq!(
            complete("re"),
            (0, vec!["read".into(), "restart".into(), "return".into()])
        );
        assert_eq!(
            complete("p motor.sp"),
            (8, vec!["speed".into(), "spin".into()])
        );
        assert_eq!(complete("p res"), (2, Vec::new()), "a command comes first");
    }
}
