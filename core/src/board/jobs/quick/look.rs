//! Lists the entries of a directory, or one entry, with one checksum for the whole answer.

use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

use super::beginning;
use crate::{
    board::{
        Answer, Entry, EntryKind, Error,
        jobs::{Job, JobContext, Step, answer::since_1970, keep},
    },
    channel::crc32,
    literal,
    raw_repl::Outcome,
};

const LIST: &str = include_str!("../../python/quick/list.py");
const STAT: &str = include_str!("../../python/quick/stat.py");
/// Number of bytes of the answer to keep. A longer list is requested line by line.
const ANSWER_LIMIT: usize = 256 * 1024;
/// The bit of `os.stat`'s mode that marks a directory.
const DIRECTORY: u32 = 0x4000;

/// Lists a directory or an entry.
#[derive(Debug)]
struct Look {
    program: String,
    /// Path; it ends in a slash if it is a directory whose entries are wanted.
    path: String,
    is_list: bool,
    output: Vec<u8>,
}

pub(super) fn list(path: &str) -> Box<dyn Job> {
    look(path, true)
}

pub(super) fn stat(path: &str) -> Box<dyn Job> {
    look(path, false)
}

fn look(path: &str, is_list: bool) -> Box<dyn Job> {
    let path = match is_list && !path.is_empty() {
        true => [path.trim_end_matches('/'), "/"].concat(),
        false => path.to_owned(),
    };
    let part = if is_list { LIST } else { STAT };
    // The checksum reveals a path that a bad line has changed.
    let program = format!(
        "{}p={}\nt='%d'%utime.gmtime(0)[0]\n{part}b.print('\\n%s\\n%d'%(t,ubinascii.crc32(p+t)))\n",
        beginning("utime,ubinascii"),
        literal::text(&path)
    );
    Box::new(Look {
        program,
        path,
        is_list,
        output: Vec::new(),
    })
}

impl Look {
    fn answer(&self) -> Option<Result<Answer, Error>> {
        let text = core::str::from_utf8(&self.output).ok()?;
        let text = text.replace("\r\n", "\n");
        let (text, sum) = text.trim().rsplit_once('\n')?;
        if crc32([&self.path, text].concat().as_bytes()) != sum.parse::<u32>().ok()? {
            return None;
        }
        let mut lines = text.lines();
        let epoch = lines.next()?.parse().ok()?;
        let entries = lines.map(|line| read_entry(line, epoch));
        let mut entries = entries.collect::<Option<Vec<_>>>()?;
        if self.is_list {
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
            None => self.answer().unwrap_or(Err(Error::BadAnswer)),
        })
    }
}

/// Parses the name of one entry, and the output of `os.stat`: mode, size and time are three of ten numbers.
fn read_entry(line: &str, epoch: u32) -> Option<Entry> {
    let (name, numbers) = line.strip_suffix(')')?.rsplit_once('(')?;
    let name = literal::parse_bytes(name.as_bytes())?;
    let mut numbers = numbers.split(", ");
    let mode: u32 = numbers.next()?.parse().ok()?;
    let size: u64 = numbers.nth(5)?.parse().ok()?;
    let seconds = numbers.nth(1)?.parse().ok()?;
    let (kind, size) = match mode & DIRECTORY {
        0 => (EntryKind::File, size),
        _ => (EntryKind::Directory, 0),
    };
    Some(Entry {
        name: String::from_utf8(name).ok()?,
        kind,
        size,
        modified: since_1970(seconds, epoch),
        sha256: None,
    })
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
            is_list: true,
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
}
