//! Lines for the REPL itself: those that begin with a colon, as no program does, and the commands of the original REPL
//! (`cmd/zylisp` of <https://github.com/zylisp/cli>).

#[derive(Debug, PartialEq)]
pub(super) enum Directive<'a> {
    Help,
    /// Explains one name, or all names.
    Doc(&'a str),
    Load(&'a str),
    /// Shows the next page of the last value.
    More,
    Quit,
    /// Is none of these.
    Unknown(&'a str),
}

impl<'a> Directive<'a> {
    pub(super) fn of(typed: &'a str) -> Option<Self> {
        match typed.trim() {
            "(quit)" | "(q)" => return Some(Self::Quit),
            "(help)" => return Some(Self::Help),
            _ => {}
        }
        let words = typed.trim().strip_prefix(':')?;
        let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        Some(match (name, rest.trim()) {
            ("help", _) => Self::Help,
            ("doc", name) => Self::Doc(name),
            ("load", path) if !path.is_empty() => Self::Load(path),
            ("more", _) => Self::More,
            ("quit" | "q", _) => Self::Quit,
            _ => Self::Unknown(name),
        })
    }
}

pub(super) const HELP: &str = "\
:doc          list the names; :doc NAME explains one of them, or one of yours
:load FILE    evaluate a file that is on the server's side
:more         the next page of a value that was too long
:quit         leave, as (quit) does
Tab           complete a name
Ctrl-R        search what was typed before; Up and Down go through it
Ctrl-C        interrupt what runs, or give up the line
Ctrl-D        leave";

#[cfg(test)]
mod tests {
    use super::Directive;

    #[test]
    fn a_line_with_a_colon_is_for_the_repl_and_of_other_lines_those_of_the_original_alone() {
        let table = [
            ("(+ 1 2)", None),
            ("(quit 1)", None),
            (" :help\n", Some(Directive::Help)),
            ("(help)", Some(Directive::Help)),
            (":doc car", Some(Directive::Doc("car"))),
            (":doc", Some(Directive::Doc(""))),
            (":load a b.zylisp", Some(Directive::Load("a b.zylisp"))),
            (":load", Some(Directive::Unknown("load"))),
            (":more", Some(Directive::More)),
            (":quit", Some(Directive::Quit)),
            (":q", Some(Directive::Quit)),
            ("(quit)\n", Some(Directive::Quit)),
            ("(q)", Some(Directive::Quit)),
        ];
        for (typed, directive) in table {
            assert_eq!(Directive::of(typed), directive, "{typed:?}");
        }
    }
}
