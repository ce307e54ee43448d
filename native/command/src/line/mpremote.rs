//! mpremote's words, for people who know them by heart and have them in Makefiles.
//!
//! Each line of [`WORDS`] is a word of mpremote, with the number of its arguments and its meaning here. A word with a
//! fixed number of arguments ends there, so that a chain needs no `+` after it: `connect PORT eval 1/2 eval 3/4`.

use std::ffi::OsString;

use super::syntax;
use crate::{Exit, Failure};

/// A word of mpremote.
struct Word {
    word: &'static str,
    /// Number of arguments that the word takes; `None` stands for all.
    takes: Option<usize>,
    is: Meaning,
}

/// Meaning of one of mpremote's words.
enum Meaning {
    /// Is replaced by these words.
    Words(&'static [&'static str]),
    /// Happens here in any case.
    Nothing,
    /// Names the board with the next word.
    Board,
    /// A folder, and a command for it.
    Mount,
    /// Has options that may precede the action.
    Romfs,
}

const fn word(word: &'static str, takes: Option<usize>, is: Meaning) -> Word {
    Word { word, takes, is }
}

use Meaning::{Board, Mount, Nothing, Romfs, Words};

/// All words that are read here. The others are commands of flylead with the same name.
const WORDS: [Word; 17] = [
    word("connect", Some(1), Board),
    word("devs", Some(0), Words(&["ports"])),
    word("disconnect", Some(0), Nothing),
    word("resume", Some(0), Nothing),
    word("umount", Some(0), Nothing),
    word("soft-reset", Some(0), Words(&["reset"])),
    word("reset", Some(0), Words(&["reset"])),
    word("bootloader", Some(0), Words(&["reset", "--bootloader"])),
    word("version", Some(0), Words(&["--version"])),
    word("rmdir", None, Words(&["rm"])),
    word("sha256sum", None, Words(&["sha256"])),
    word("eval", Some(1), Words(&["eval"])),
    word("exec", Some(1), Words(&["exec"])),
    word("sleep", Some(1), Words(&["sleep"])),
    word("repl", Some(0), Words(&["repl"])),
    word("mount", None, Mount),
    word("romfs", None, Romfs),
];

/// Treatment of an option.
enum Becomes {
    /// Is replaced by this option.
    Option(&'static str),
    /// Happens here in any case.
    Nothing,
    /// Has no equivalent here; this text suggests a replacement.
    Instead(&'static str),
}

use Becomes::Instead;

/// mpremote's options that have other names here, by the command's name here.
const OPTIONS: [(&str, &str, Becomes); 9] = [
    ("cp", "-f", Becomes::Option("--force")),
    ("tree", "-s", Becomes::Option("--size")),
    ("tree", "-h", Becomes::Option("--human")),
    ("romfs", "-p", Becomes::Option("--partition")),
    ("romfs", "-m", Becomes::Option("--mpy")),
    ("romfs", "--no-mpy", Becomes::Nothing),
    ("mount", "-l", Instead(NO_LINKS)),
    ("mount", "--unsafe-links", Instead(NO_LINKS)),
    (
        "repl",
        "--escape-non-printable",
        Instead("`repl --capture FILE` keeps each byte as the board sent it"),
    ),
];

const NO_LINKS: &str =
    "links cannot lead out of a mounted folder; `cp -r --unsafe-links` copies their targets";

/// Result of reading a line's first word.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Read {
    /// Board that the word names.
    pub(super) port: Option<String>,
    /// The command in flylead's words.
    pub(super) command: Option<Vec<OsString>>,
    /// Words of the commands that follow.
    pub(super) rest: Vec<OsString>,
}

/// Returns true if mpremote has this word and flylead has no command of that name.
pub(super) fn is_word(word: &str) -> bool {
    WORDS.iter().any(|one| one.word == word)
}

/// Reads a command as mpremote does; `None` if it means the same here. `begins_command` recognizes where the next one
/// begins.
///
/// # Errors
/// When there is no equivalent here; the message says what to use instead.
pub(super) fn read(
    words: &[OsString],
    begins_command: fn(&str) -> bool,
) -> Result<Option<Read>, Failure> {
    let text = |at: usize| words.get(at).and_then(|word| word.to_str());
    let (Some(first), second) = (text(0), text(1)) else {
        return Ok(None);
    };
    // `fs rmdir` is `rmdir`, and `fs edit` is `edit`.
    if first == "fs"
        && second.is_some_and(|word| matches!(word, "rmdir" | "sha256sum" | "edit" | "cp" | "tree"))
    {
        let inner = read(&words[1..], begins_command)?;
        return Ok(Some(
            inner.unwrap_or_else(|| Read::command(words[1..].to_vec())),
        ));
    }
    if (first, second) == ("connect", Some("list")) {
        return Ok(Some(Read {
            rest: words[2..].to_vec(),
            ..Read::command(vec!["ports".into()])
        }));
    }
    if let ("cp", [_, from, to]) = (first, words)
        && to == "-"
        && from.to_str().is_some_and(|from| from.starts_with(':'))
    {
        return Ok(Some(Read::command(vec!["cat".into(), from.clone()])));
    }
    let Some(word) = WORDS.iter().find(|one| one.word == first) else {
        let options = options(first, &words[1..])?;
        let command = [&words[..1], &options].concat();
        return Ok((command != words).then(|| Read::command(command)));
    };
    let arguments = word.takes.unwrap_or(match word.is {
        Mount => 1,
        _ => usize::MAX,
    });
    let is_code = matches!(first, "eval" | "exec");
    let end = end(&words[1..], arguments, is_code) + 1;
    let (own, rest) = words.split_at(end);
    let next = rest.first().and_then(|word| word.to_str());
    let goes_on = next.is_some_and(begins_command);
    if !rest.is_empty() && !goes_on {
        // Not as mpremote reads it: the command itself reports an error, if there is one.
        return Ok(None);
    }
    let own = own[1..].to_vec();
    let mut read = Read {
        rest: rest.to_vec(),
        ..Read::default()
    };
    match word.is {
        Board => read.port = Some(board(own.first())?),
        Nothing => {}
        Words(meant) => {
            let meant: Vec<OsString> = meant.iter().map(OsString::from).collect();
            let options = options(first, &own)?;
            read.command = Some([meant, options].concat());
        }
        Mount => {
            let mut command = [vec![OsString::from("mount")], options("mount", &own)?].concat();
            let mut inner = std::mem::take(&mut read.rest);
            if inner.last().is_some_and(|word| word == "umount") {
                inner.pop();
            }
            if !inner.is_empty() {
                command.push("--".into());
                command.extend(inner);
            }
            read.command = Some(command);
        }
        Romfs => read.command = Some(romfs(&options("romfs", &own)?)),
    }
    Ok(Some(read))
}

impl Read {
    fn command(words: Vec<OsString>) -> Self {
        Self {
            command: Some(words),
            ..Self::default()
        }
    }
}

/// Counts the words of the options and of this many arguments.
fn end(words: &[OsString], arguments: usize, is_code: bool) -> usize {
    let (mut at, mut seen) = (0, 0);
    while let Some(word) = words.get(at) {
        if word == "--" {
            break;
        }
        let option = word
            .to_str()
            .filter(|word| word.starts_with('-') && word.len() > 1);
        // Code may begin with a minus, and is the argument then.
        let is_option = option.is_some_and(|word| {
            seen == arguments
                || !is_code
                || word.starts_with("--")
                || syntax::takes_next(word)
                || word == "-v"
        });
        match option {
            Some(option) if is_option => {
                let has_value = syntax::takes_next(option) || VALUED.contains(&option);
                at += 1 + usize::from(has_value);
            }
            _ if seen == arguments => break,
            _ => {
                seen += 1;
                at += 1;
            }
        }
    }
    at.min(words.len())
}

/// Options of these words that have a value.
const VALUED: [&str; 3] = ["--capture", "--inject-code", "--inject-file"];

/// Returns the words of a command, with the names that its options have here.
fn options(command: &str, words: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let known = |option: &str| {
        OPTIONS
            .iter()
            .find(|(of, name, _)| *of == command && *name == option)
    };
    let mut read = Vec::new();
    for word in words {
        let Some(text) = word.to_str().filter(|word| word.starts_with('-')) else {
            read.push(word.clone());
            continue;
        };
        // `-rf` is `-r -f`.
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let parts: Vec<String> = letters
            .into_iter()
            .flat_map(|rest| rest.chars().map(|letter| format!("-{letter}")))
            .collect();
        let parts = match parts.iter().any(|part| known(part).is_some()) {
            true => parts,
            false => vec![text.to_owned()],
        };
        for part in parts {
            match known(&part) {
                None => read.push(part.into()),
                Some((_, _, Becomes::Option(option))) => read.push(option.into()),
                Some((_, _, Becomes::Nothing)) => {}
                Some((_, name, Instead(instead))) => {
                    let message = format!("{command} has no {name} here: {instead}");
                    return Err(Failure::new(Exit::Usage, message));
                }
            }
        }
    }
    Ok(read)
}

/// Converts mpremote's name of a board to an address.
fn board(name: Option<&OsString>) -> Result<String, Failure> {
    let name = name.and_then(|name| name.to_str()).unwrap_or_default();
    match name.strip_prefix("port:").unwrap_or(name) {
        "" => Err(Failure::new(
            Exit::Usage,
            "connect to which board? `connect auto`, `connect PORT` or `connect id:SERIALNUMBER`; `flylead ports` lists them",
        )),
        name => Ok(name.to_owned()),
    }
}

/// Converts `romfs -o FILE build FOLDER`, moving the options to the end. Only `deploy` uses a partition.
fn romfs(words: &[OsString]) -> Vec<OsString> {
    let (mut options, mut actions) = (Vec::new(), vec![OsString::from("romfs")]);
    let mut partition = Vec::new();
    let mut words = words.iter().cloned();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--partition") => {
                partition = [Some(word), words.next()].into_iter().flatten().collect();
            }
            Some("-o" | "--output") => {
                options.extend([Some(word), words.next()].into_iter().flatten());
            }
            Some(text) if text.starts_with('-') => options.push(word),
            _ => actions.push(word),
        }
    }
    match actions.get(1).and_then(|action| action.to_str()) {
        Some("deploy") => options.extend(partition),
        Some("query") => options.retain(|option| option != "--mpy"),
        _ => {}
    }
    [actions, options].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the commands that a line becomes, separated by commas, with `PORT:` before them.
    fn lines(line: &str) -> String {
        let mut words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut said = Vec::new();
        loop {
            let begins = |word: &str| is_word(word) || syntax::is_command(word);
            let known = read(&words, begins).unwrap_or_else(|error| panic!("{line}: {error:?}"));
            let read = known.unwrap_or_else(|| Read::command(words));
            said.extend(read.port.map(|port| format!("{port}:")));
            let command = read
                .command
                .map(|words| words.join(" ".as_ref()).into_string().unwrap());
            said.extend(command);
            words = read.rest;
            if words.is_empty() {
                return said.join(", ");
            }
        }
    }

    #[test]
    fn each_word_becomes_a_command() {
        for (line, meant) in [
            ("connect port:/dev/a ls", "/dev/a:, ls"),
            (
                "connect id:33 eval 1/2 eval 3/4",
                "id:33:, eval 1/2, eval 3/4",
            ),
            ("connect list", "ports"),
            ("devs", "ports"),
            ("resume exec x soft-reset repl", "exec x, reset, repl"),
            (
                "exec --no-follow x bootloader",
                "exec --no-follow x, reset --bootloader",
            ),
            ("eval -1 eval 2", "eval -1, eval 2"),
            // Words that no command follows are left to the command itself.
            ("exec a b", "exec a b"),
            ("fs rmdir :a :b", "rm :a :b"),
            ("fs edit :a", "edit :a"),
            ("cp -rf a :", "cp -r --force a :"),
            ("cp :a -", "cat :a"),
            ("tree -sh :a", "tree --size --human :a"),
            ("mount .", "mount ."),
            ("mount . exec x", "mount . -- exec x"),
            ("mount . run a.py umount", "mount . -- run a.py"),
            ("mount . -- exec x", "mount . -- exec x"),
            (
                "romfs -p 1 -o f --no-mpy deploy d",
                "romfs deploy d -o f --partition 1",
            ),
            ("romfs -p 0 query", "romfs query"),
        ] {
            assert_eq!(lines(line), meant, "{line}");
        }
    }

    #[test]
    fn what_is_not_there_names_what_serves_instead() {
        for line in ["mount -l .", "repl --escape-non-printable", "connect"] {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            assert!(read(&words, is_word).is_err(), "{line}");
        }
    }
}
