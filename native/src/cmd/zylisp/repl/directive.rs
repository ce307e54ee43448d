//! Lines that are for the REPL itself. They begin with a colon, as no program does.

use flylead::zylisp::lang::{Entry, MANUAL};

use crate::cmd::terminal::say;

#[derive(Debug, PartialEq)]
pub(super) enum Directive<'a> {
    Help,
    Doc(&'a str),
    Load(&'a str),
    /// None of these.
    Unknown(&'a str),
}

impl<'a> Directive<'a> {
    pub(super) fn of(typed: &'a str) -> Option<Self> {
        let words = typed.trim().strip_prefix(':')?;
        let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        Some(match (name, rest.trim()) {
            ("help", _) => Self::Help,
            ("doc", name) => Self::Doc(name),
            ("load", path) if !path.is_empty() => Self::Load(path),
            _ => Self::Unknown(name),
        })
    }

    /// Says what it asks for.
    pub(super) fn tell(&self) {
        match self {
            Self::Help => say(HELP),
            Self::Doc("") => MANUAL.iter().for_each(describe),
            Self::Doc(name) => match MANUAL.iter().find(|entry| entry.name == *name) {
                Some(entry) => describe(entry),
                None => say(format_args!(
                    "the language has no {name} of its own; :doc lists what it has"
                )),
            },
            Self::Load(_) => {}
            Self::Unknown(name) => say(format_args!(
                "there is no :{name}; :help tells what there is"
            )),
        }
    }
}

fn describe(entry: &Entry) {
    say(format_args!("{:<24} {}", entry.usage, entry.meaning));
}

const HELP: &str = "\
:doc          what the language has; :doc NAME for one of it
:load FILE    evaluate a file that is on the server's side
Tab           complete a name
Ctrl-R        search what was typed before; Up and Down go through it
Ctrl-C        interrupt what runs, or give up the line
Ctrl-D        leave";

#[cfg(test)]
mod tests {
    use super::Directive;

    #[test]
    fn a_line_with_a_colon_is_for_the_repl_and_no_other_line_is() {
        assert_eq!(Directive::of("(+ 1 2)"), None);
        assert_eq!(Directive::of(" :help\n"), Some(Directive::Help));
        assert_eq!(Directive::of(":doc car"), Some(Directive::Doc("car")));
        assert_eq!(Directive::of(":doc"), Some(Directive::Doc("")));
        assert_eq!(
            Directive::of(":load a b.zylisp"),
            Some(Directive::Load("a b.zylisp"))
        );
        assert_eq!(Directive::of(":load"), Some(Directive::Unknown("load")));
    }
}
