//! The command line as typed. Chains, short names of ports and the person's own shortcuts are converted to commands
//! here, before clap sees them.

pub(crate) mod chain;
pub(crate) mod kept;
mod mpremote;
mod shortcuts;

use std::ffi::{OsStr, OsString};

use super::{Exit, Failure, files::fs, help::syntax};
use shortcuts::Shortcuts;

/// Splits a line into its commands, each with the program's name and the options before the first one.
///
/// # Errors
/// When the line names several boards, or an invalid shortcut.
pub(super) fn commands(line: Vec<OsString>) -> Result<Vec<Vec<OsString>>, Failure> {
    let mut words = line.into_iter();
    let program = words.next().unwrap_or_else(|| "flylead".into());
    let mut options: Vec<_> = words.collect();
    let words = options.split_off(options_before(&options));
    let mut reader = Reader::default();
    reader.read(words, 0)?;
    let port = reader.port.map(|port| format!("--port={port}").into());
    let before: Vec<_> = [program].into_iter().chain(options).chain(port).collect();
    let whole = |command: Vec<OsString>| [before.as_slice(), &command].concat();
    Ok(reader.commands.into_iter().map(whole).collect())
}

/// Counts the words before the first that is not a global option.
fn options_before(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        if !word.starts_with('-') || word == "--" {
            break;
        }
        at += 1 + usize::from(syntax::takes_next(word));
    }
    at.min(words.len())
}

#[derive(Default)]
struct Reader {
    shortcuts: Shortcuts,
    /// Value of `a0` and similar shortcuts.
    port: Option<String>,
    commands: Vec<Vec<OsString>>,
    /// True if there were words that only name a board, which then opens the prompt.
    is_connected: bool,
}

impl Reader {
    fn read(&mut self, words: Vec<OsString>, depth: usize) -> Result<(), Failure> {
        let mut words = words;
        while let Some(plus) = self.next_plus(&words)? {
            let rest = words.split_off(plus + 1);
            words.pop();
            self.read_command(words, depth)?;
            words = rest;
        }
        self.read_command(words, depth)?;
        if depth == 0 && self.commands.is_empty() {
            // A port alone opens the prompt; an empty line gets clap's own answer.
            let talks = self.port.is_some() || self.is_connected;
            let repl = talks.then(|| "repl".into());
            self.commands.push(repl.into_iter().collect());
        }
        Ok(())
    }

    /// Finds the next command of a chain: after a `+` that a command follows. Words after `--` belong to one command.
    fn next_plus(&mut self, words: &[OsString]) -> Result<Option<usize>, Failure> {
        let own = words.iter().position(|word| word == "--");
        let words = &words[..own.unwrap_or(words.len())];
        for (at, pair) in words.windows(2).enumerate() {
            if pair[0] != "+" || at == 0 {
                continue;
            }
            if self.begins_command(&pair[1])? {
                return Ok(Some(at));
            }
            // A file of this name has to be written as ./+.
            if words[0].to_str().is_some_and(fs::is_action) {
                let next = pair[1].to_string_lossy();
                let message = format!("a command must follow + in a chain, but {next} is not one");
                return Err(Failure::new(Exit::Usage, message));
            }
        }
        Ok(None)
    }

    fn begins_command(&mut self, word: &OsStr) -> Result<bool, Failure> {
        let Some(word) = word.to_str() else {
            return Ok(false);
        };
        Ok(is_word(word) || port_of(word).is_some() || self.shortcuts.get(word)?.is_some())
    }

    fn read_command(&mut self, mut words: Vec<OsString>, depth: usize) -> Result<(), Failure> {
        let Some(first) = words.first().and_then(|word| word.to_str()) else {
            if !words.is_empty() {
                self.commands.push(words);
            }
            return Ok(());
        };
        if let Some(port) = port_of(first) {
            self.choose(port)?;
            words.remove(0);
            return self.read_command(words, depth);
        }
        let is_own =
            mpremote::is_word(first) && !is_command(first) && self.shortcuts.get(first)?.is_some();
        if !is_own && let Some(read) = mpremote::read(&words, is_word)? {
            if let Some(port) = read.port {
                self.choose(port)?;
            }
            self.is_connected |= read.command.is_none();
            self.commands.extend(read.command);
            return match read.rest.is_empty() {
                true => Ok(()),
                false => self.read_command(read.rest, depth),
            };
        }
        if first.starts_with('-') || is_command(first) {
            self.commands.push(words);
            return Ok(());
        }
        let Some(meant) = self.shortcuts.get(first)? else {
            self.commands.push(words);
            return Ok(());
        };
        if depth == DEEPEST {
            let message = format!("the shortcut {first} refers to itself, or to too many others");
            return Err(Failure::new(Exit::Usage, message));
        }
        words.remove(0);
        let meant = meant.with(&mut words)?.into_iter().map(OsString::from);
        self.read(meant.chain(words).collect(), depth + 1)
    }

    fn choose(&mut self, port: String) -> Result<(), Failure> {
        if !self.commands.is_empty() || self.port.as_ref().is_some_and(|before| *before != port) {
            let message = "the commands of a chain are for one board, which is named before the first of them; `flylead each` is for many boards";
            return Err(Failure::new(Exit::Usage, message));
        }
        self.port = Some(port);
        Ok(())
    }
}

/// Returns true if a word begins a command of flylead or of mpremote.
fn is_word(word: &str) -> bool {
    is_command(word) || mpremote::is_word(word)
}

fn is_command(word: &str) -> bool {
    word == "help" || syntax::is_command(word)
}

/// Expands mpremote's short names of ports (tools/mpremote/mpremote/main.py, `_BUILTIN_COMMAND_EXPANSIONS`): `a0`,
/// `u1`, `c3`.
fn port_of(word: &str) -> Option<String> {
    let device = match word.chars().next()? {
        'a' => "/dev/ttyACM",
        'u' => "/dev/ttyUSB",
        'c' => "COM",
        _ => return None,
    };
    let number = &word[1..];
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| format!("{device}{number}"))
}

/// Limit of nested shortcuts.
const DEEPEST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Vec<String>, Failure> {
        let line = line.split(' ').map(OsString::from).collect();
        let commands = commands(line)?;
        let joined = |words: Vec<OsString>| words.join(OsStr::new(" ")).into_string().unwrap();
        Ok(commands.into_iter().map(joined).collect())
    }

    #[test]
    fn chains_and_short_names_of_ports_become_commands() {
        for (line, commands) in [
            ("flylead", &["flylead "][..]),
            ("flylead --help", &["flylead --help "]),
            ("flylead exec 1+1", &["flylead exec 1+1"]),
            ("flylead a0", &["flylead --port=/dev/ttyACM0 repl"]),
            ("flylead u12 ls :", &["flylead --port=/dev/ttyUSB12 ls :"]),
            ("flylead c3 info", &["flylead --port=COM3 info"]),
            (
                "flylead -v --baud 9600 cp a : + run a + repl",
                &[
                    "flylead -v --baud 9600 cp a :",
                    "flylead -v --baud 9600 run a",
                    "flylead -v --baud 9600 repl",
                ],
            ),
            (
                "flylead a0 ls + cat a0",
                &[
                    "flylead --port=/dev/ttyACM0 ls",
                    "flylead --port=/dev/ttyACM0 cat a0",
                ],
            ),
            // A plus that no command follows is an ordinary word.
            ("flylead run sum.py 1 + 2", &["flylead run sum.py 1 + 2"]),
            ("flylead run x +", &["flylead run x +"]),
            (
                "flylead each all -- cp a : + run a",
                &["flylead each all -- cp a : + run a"],
            ),
        ] {
            let read = read(line).unwrap();
            let trimmed = commands.iter().map(|command| command.trim_end());
            assert_eq!(read, trimmed.collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn a_chain_has_one_board() {
        assert!(read("flylead a0 ls + a1 ls").is_err());
        assert!(read("flylead a0 a1 ls").is_err());
    }
}
