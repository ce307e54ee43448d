//! Lists the entries of a directory, or one entry, with one checksum for the whole answer.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::{beginning, imports};
use crate::{
    board::{
        Answer, Entry, EntryKind, Error,
        jobs::{Job, JobContext, Step, answer::since_1970, keep, probe::guard},
    },
    channel::crc32,
    literal,
    raw_repl::Outcome,
};

const LIST: &str = include_str!("../../python/quick/list.py");
/// The rest of a program. Most file systems tell sizes without a look at each entry.
const NAMES: &str = include_str!("../../python/quick/names.py");
/// The rest for the current directory, which needs no path.
const HERE: &str = include_str!("../../python/quick/here.py");
const STAT: &str = include_str!("../../python/quick/stat.py");
/// Number of bytes of the answer to keep. A longer list is requested line by line.
const ANSWER_LIMIT: usize = 256 * 1024;
/// The bit of `os.stat`'s mode that marks a directory.
const DIRECTORY: u32 = 0x4000;

/// Facts that are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The entries of a directory.
    Entries,
    /// The entries of a directory with their times.
    TimedEntries,
    /// One entry.
    Entry,
}

/// Lists a directory or an entry.
#[derive(Debug)]
struct Look {
    program: String,
    /// Path; it ends in a slash if it is a directory whose entries are wanted.
    path: String,
    wanted: Wanted,
    output: Vec<u8>,
}

pub(super) fn list(path: &str, times: bool) -> Box<dyn Job> {
    let path = match path {
        "" => String::new(),
        path => [path.trim_end_matches('/'), "/"].concat(),
    };
    let wanted = match times {
        true => Wanted::TimedEntries,
        false => Wanted::Entries,
    };
    Box::new(Look::new(path, wanted))
}

pub(super) fn stat(path: &str) -> Box<dyn Job> {
    Box::new(Look::new(path.to_owned(), Wanted::Entry))
}

fn program(path: &str, wanted: Wanted) -> String {
    let name = literal::text(path);
    // The checksum reveals a path that a bad line has changed.
    let with_times = |part| {
        format!(
            "{}{}p={name}\nt='%d'%utime.gmtime(0)[0]\n{part}b.print('\\n%s\\n%d'%(t,u.crc32(p+t)))\n",
            imports("utime,ubinascii as u"),
            // Of all entries, one may be the file system that `mpremote mount` left.
            guard("o"),
        )
    };
    match wanted {
        Wanted::Entries if path.is_empty() => beginning("ubinascii as u") + HERE,
        Wanted::Entries => format!("{}p={name}\n{NAMES}", beginning("ubinascii as u")),
        Wanted::TimedEntries => with_times(LIST),
        Wanted::Entry => with_times(STAT),
    }
}

impl Look {
    fn new(path: String, wanted: Wanted) -> Self {
        Self {
            program: program(&path, wanted),
            path,
            wanted,
            output: Vec::new(),
        }
    }

    fn answer(&self) -> Option<Result<Answer, Error>> {
        let mut entries = self.entries()?;
        if self.wanted != Wanted::Entry {
            entries.retain(|entry| !matches!(entry.name.as_str(), "." | ".."));
            entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            return Some(Ok(Answer::Entries(entries)));
        }
        Some(match entries.pop() {
            Some(entry) => Ok(Answer::Entry(Entry {
                name: base_name(&self.path).to_owned(),
                ..entry
            })),
            None => Err(Error::NotFound),
        })
    }

    fn entries(&self) -> Option<Vec<Entry>> {
        let text = core::str::from_utf8(&self.output).ok()?;
        let text = text.replace("\r\n", "\n");
        if self.wanted == Wanted::Entries {
            let (text, sum) = text.trim().rsplit_once(' ')?;
            self.checked(text, sum)?;
            return parse_tuples(text);
        }
        let (text, sum) = text.trim().rsplit_once('\n')?;
        self.checked(text, sum)?;
        let mut lines = text.lines();
        let epoch = lines.next()?.parse().ok()?;
        lines.map(|line| parse_timed(line, epoch)).collect()
    }

    /// Returns `None` unless the text is what the board said of this path.
    fn checked(&self, text: &str, sum: &str) -> Option<()> {
        let said = sum.parse::<u32>().ok()?;
        (crc32([&self.path, text].concat().as_bytes()) == said).then_some(())
    }
}

impl Job for Look {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        Step::Run(self.program.clone())
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        keep(&mut self.output, &bytes, ANSWER_LIMIT);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, _context: &JobContext<'_>) -> Step {
        Step::Done(match Error::from_outcome(&outcome) {
            // The path in the error may itself be damaged.
            Some(Error::NotFound) => Err(Error::BadAnswer),
            Some(error) => Err(error),
            None => match self.answer() {
                Some(answer) => answer,
                None if self.wanted == Wanted::Entries => {
                    *self = Self::new(core::mem::take(&mut self.path), Wanted::TimedEntries);
                    return Step::Run(self.program.clone());
                }
                None => Err(Error::BadAnswer),
            },
        })
    }
}

/// Parses a list of the tuples of `os.ilistdir`: name, mode, inode and, unless the file system does not know it, size.
fn parse_tuples(list: &str) -> Option<Vec<Entry>> {
    let mut rest = list.strip_prefix('[')?;
    let mut entries = Vec::new();
    while let Some(tuple) = rest.strip_prefix('(') {
        let (name, numbers) = literal::parse_quoted(tuple)?;
        let (numbers, after) = numbers.split_once(')')?;
        entries.push(untimed(name, numbers)?);
        rest = after.strip_prefix(", ").unwrap_or(after);
    }
    (rest == "]").then_some(entries)
}

fn untimed(name: String, numbers: &str) -> Option<Entry> {
    // The ports without Unicode escape bytes, and the others escape characters.
    if name.chars().any(|char| matches!(char, '\u{80}'..='\u{ff}')) {
        return None;
    }
    let mut numbers = numbers.split(", ").skip(1);
    let mode: u32 = numbers.next()?.parse().ok()?;
    let size = match numbers.nth(1) {
        Some(size) => size.parse().ok()?,
        None if mode & DIRECTORY == 0 => return None,
        None => 0,
    };
    Some(entry(name, mode, size, None))
}

/// Parses the name of one entry, and the output of `os.stat`: mode, size and time are three of ten numbers.
fn parse_timed(line: &str, epoch: u32) -> Option<Entry> {
    let (name, numbers) = line.strip_suffix(')')?.rsplit_once('(')?;
    let name = literal::parse_bytes(name.as_bytes())?;
    let mut numbers = numbers.split(", ");
    let mode = numbers.next()?.parse().ok()?;
    let size = numbers.nth(5)?.parse().ok()?;
    let seconds = numbers.nth(1)?.parse().ok()?;
    let name = String::from_utf8(name).ok()?;
    Some(entry(name, mode, size, since_1970(seconds, epoch)))
}

fn entry(name: String, mode: u32, size: u64, modified: Option<i64>) -> Entry {
    let (kind, size) = match mode & DIRECTORY {
        0 => (EntryKind::File, size),
        _ => (EntryKind::Directory, 0),
    };
    Entry {
        name,
        kind,
        size,
        modified,
        sha256: None,
    }
}

/// Returns the last part of a path.
fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, text: &str) -> Look {
        let sum = crc32([path, text].concat().as_bytes());
        Look {
            program: String::new(),
            path: path.into(),
            wanted: Wanted::TimedEntries,
            output: format!("\r\n{}\r\n{sum}\r\n", text.replace('\n', "\r\n")).into_bytes(),
        }
    }

    #[test]
    fn an_answer_about_another_path_or_with_another_byte_is_none() {
        let mut look = said(
            "lib",
            "1970\nb'sub(1, '(16384, 0, 0, 0, 0, 0, 0, 0, 0, 0)\nb'\\xc3\\xa4'(32768, 0, 0, 0, 0, 0, 12, 0, 7, 0)",
        );
        let Some(Ok(Answer::Entries(entries))) = look.answer() else {
            panic!("it is whole")
        };
        let names: Vec<_> = entries
            .iter()
            .map(|it| (&*it.name, it.kind, it.size, it.modified))
            .collect();
        assert_eq!(
            names,
            [
                ("sub(1, ", EntryKind::Directory, 0, since_1970(0, 1970)),
                ("ä", EntryKind::File, 12, since_1970(7, 1970))
            ]
        );
        look.path = "lab".into();
        assert_eq!(look.answer(), None);
        look.path = "lib".into();
        look.output[10] ^= 1;
        assert_eq!(look.answer(), None);
    }

    #[test]
    fn tuples_are_read_and_ambiguous_ones_are_asked_for_again() {
        let text = "[('a, (b)', 32768, 0, 139), (\"it's\", 16384, 0), ('\\u20ac', 32768, 7, 2)]";
        let look = |text: &str| {
            let sum = crc32(["lib/", text].concat().as_bytes());
            Look {
                path: "lib/".into(),
                wanted: Wanted::Entries,
                output: format!("{text} {sum}\r\n").into_bytes(),
                ..said("", "")
            }
        };
        let Some(Ok(Answer::Entries(entries))) = look(text).answer() else {
            panic!("it is whole")
        };
        let facts = entries.iter().map(|it| (&*it.name, it.kind, it.size));
        let expected = [
            ("a, (b)", EntryKind::File, 139),
            ("it's", EntryKind::Directory, 0),
            ("€", EntryKind::File, 2),
        ];
        assert!(facts.eq(expected));
        assert_eq!(look("[]").answer(), Some(Ok(Answer::Entries(Vec::new()))));
        for list in [
            // `ä` on a port with Unicode, or its two bytes on one without.
            r"[('\xe4', 32768, 0, 139)]",
            r"[('\xc3\xa4', 32768, 0, 139)]",
            "[('of unknown size', 32768, 0)]",
            "[('cut', 32768, 0, 1)",
        ] {
            assert_eq!(look(list).answer(), None);
        }
    }
}
