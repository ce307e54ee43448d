//! Requests that consist of one program: its source, and the way to read its answer.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    Job, JobContext, Step,
    answer::{WholeLines, parse_done, parse_entries, parse_entry, parse_hash, parse_space},
    checked::checked,
};
use crate::{
    board::{Answer, Capabilities, Error},
    raw_repl::Outcome,
};

/// The functions that print one entry, the hash of its content, and all entries below it.
const ENTRY: &str = include_str!("../python/entry.py");
const HASH: &str = include_str!("../python/hash.py");
const WALK: &str = include_str!("../python/walk.py");
const FLAT_LISTING: &str = include_str!("../python/flat.py");
const REMOVE_TREE: &str = include_str!("../python/change/remove_tree.py");
const APPEND: &str = include_str!("../python/change/append.py");
/// Program that removes an entry. `os.remove` also takes empty directories on some ports; others have `rmdir` for them.
const REMOVE: &str = include_str!("../python/change/remove.py");
/// Program that creates an empty file. Opening for appending updates the time on file systems that keep it; MicroPython
/// 1.9.2 on the micro:bit lacks that mode.
const TOUCH: &str = include_str!("../python/change/touch.py");
/// Program that creates a directory and succeeds if it exists; [`MAKE_PARENTS`] also creates its parents.
const MAKE_DIRECTORY: &str = include_str!("../python/change/make_directory.py");
const MAKE_PARENTS: &str = include_str!("../python/change/make_parents.py");
/// Function that prints each line of an answer with its checksum, and the number of lines at the end.
const SAY: &str = include_str!("../python/say.py");
const SPACE: &str = "import os\n_s=os.statvfs(_path)\n_say('%d %d'%(_s[1]*_s[2],_s[1]*_s[4]))\n";
const END: &str = "_say('end %d'%_lines[0])";
/// Defragments a small board's memory, which still holds remains of the program before.
const COLLECT: &str = "import gc\ngc.collect()";

/// Size limit of an answer, in bytes; a tree of 100,000 files needs that much.
const ANSWER_LIMIT: usize = 16 * 1024 * 1024;
/// Number of attempts at a query whose answer is malformed: output of a thread on the board may damage it. A request
/// with side effects is sent once; the end of its program is the answer.
const ATTEMPTS: u32 = 3;

/// A job that consists of one program whose whole output is the answer.
#[derive(Debug)]
pub(in crate::board) struct Query {
    program: String,
    parse: fn(&[u8]) -> Option<Answer>,
    output: WholeLines,
    attempts: u32,
    memory: Memory,
}

/// Steps of a query that runs out of memory. Only a query that changes nothing is repeated.
#[derive(Debug, PartialEq, Eq)]
enum Memory {
    MayCollect,
    Collecting,
    Collected,
}

/// A query, or the reason why this board does not support it.
pub(in crate::board) type QueryFor = Result<Box<dyn Job>, Error>;

impl Job for Query {
    fn start(&mut self, _context: &JobContext<'_>) -> Step {
        self.attempts += 1;
        self.output = WholeLines::new(ANSWER_LIMIT);
        Step::Run(self.program.clone())
    }

    fn on_stdout(&mut self, bytes: Vec<u8>, _context: &JobContext<'_>) -> Step {
        self.output.push(&bytes);
        Step::Wait
    }

    fn on_end(&mut self, outcome: Outcome, context: &JobContext<'_>) -> Step {
        match Error::from_outcome(&outcome) {
            Some(Error::NoMemory) if self.memory == Memory::MayCollect => {
                self.memory = Memory::Collecting;
                return Step::Run(COLLECT.into());
            }
            Some(error) => return Step::Done(Err(error)),
            None => {}
        }
        if self.memory == Memory::Collecting {
            self.memory = Memory::Collected;
            return self.start(context);
        }
        match (self.parse)(&self.output.take()) {
            Some(answer) => Step::Done(Ok(answer)),
            None if self.attempts < ATTEMPTS => self.start(context),
            None => Step::Done(Err(Error::BadAnswer)),
        }
    }
}

fn query(program: String, parse: fn(&[u8]) -> Option<Answer>, memory: Memory) -> Box<dyn Job> {
    Box::new(Query {
        program,
        parse,
        output: WholeLines::new(ANSWER_LIMIT),
        attempts: 0,
        memory,
    })
}

/// Creates a program about the file or directory `path` that prints nothing.
fn action(path: &str, program: &str) -> Box<dyn Job> {
    let program = checked(&[("_path", path)]) + program;
    query(program, parse_done, Memory::Collected)
}

/// Creates a program whose output is the answer.
pub(in crate::board) fn saying(
    names: &[(&str, &str)],
    program: &[&str],
    parse: fn(&[u8]) -> Option<Answer>,
) -> Box<dyn Job> {
    let program = checked(names) + SAY + &program.concat() + END;
    query(program, parse, Memory::MayCollect)
}

/// Creates a query for boards that have a required feature.
fn needs(has: bool, what: &'static str, query: impl FnOnce() -> Box<dyn Job>) -> QueryFor {
    match has {
        true => Ok(query()),
        false => Err(Error::Unsupported { what }),
    }
}

/// Creates a query that requires `os.stat`: only boards that have it have directories, file times and sizes of file
/// systems.
fn needs_directories(board: &Capabilities, query: impl FnOnce() -> Box<dyn Job>) -> QueryFor {
    needs(board.stat, "directories", query)
}

/// Lists all entries of a directory, optionally including those in its subdirectories.
pub(in crate::board) fn list(
    board: &Capabilities,
    path: &str,
    recursive: bool,
    hashes: bool,
) -> QueryFor {
    let hash = if hashes { HASH } else { "" };
    let code = match board.stat {
        true => [ENTRY, hash, WALK].concat(),
        false => FLAT_LISTING.into(),
    };
    let [recursive, hashes] = [recursive, hashes].map(|flag| if flag { "True" } else { "False" });
    let call = format!("_w(_path,{recursive},{hashes})\n");
    Ok(saying(&[("_path", path)], &[&code, &call], parse_entries))
}

pub(in crate::board) fn stat(board: &Capabilities, path: &str) -> QueryFor {
    let names = [("_path", path), ("_name", base_name(path))];
    let call = "_t()\n_e(_path,_name,False)\n";
    needs(board.stat, "os.stat", || {
        saying(&names, &[ENTRY, call], parse_entry)
    })
}

pub(in crate::board) fn space(board: &Capabilities, path: &str) -> QueryFor {
    needs(board.stat, "os.statvfs", || {
        saying(&[("_path", path)], &[SPACE], parse_space)
    })
}

pub(in crate::board) fn hash(board: &Capabilities, path: &str) -> QueryFor {
    let call = "_say(_x(_path))\n";
    needs(board.sha256, "SHA-256", || {
        saying(&[("_path", path)], &[HASH, call], parse_hash)
    })
}

/// Makes a directory; it may exist if its parents are made as well.
pub(in crate::board) fn make_directory(
    board: &Capabilities,
    path: &str,
    parents: bool,
) -> QueryFor {
    let program = match parents {
        true => &[MAKE_PARENTS, MAKE_DIRECTORY].concat(),
        false => "import os\nos.mkdir(_path)",
    };
    needs_directories(board, || action(path, program))
}

/// Makes a directory, which may exist.
pub(in crate::board) fn new_directory(board: &Capabilities, path: &str) -> QueryFor {
    needs_directories(board, || action(path, MAKE_DIRECTORY))
}

pub(in crate::board) fn remove_tree(board: &Capabilities, path: &str) -> QueryFor {
    needs_directories(board, || action(path, REMOVE_TREE))
}

pub(in crate::board) fn remove(path: &str) -> QueryFor {
    Ok(action(path, REMOVE))
}

pub(in crate::board) fn touch(path: &str) -> QueryFor {
    Ok(action(path, TOUCH))
}

pub(in crate::board) fn rename(board: &Capabilities, from: &str, to: &str) -> QueryFor {
    let names = checked(&[("_from", from), ("_to", to)]);
    let program = names + "import os\nos.rename(_from,_to)";
    needs(board.rename, "os.rename", || {
        query(program, parse_done, Memory::Collected)
    })
}

/// Returns the program that appends the written file `tail` to the file `path`, in `part` if there is enough space.
pub(in crate::board) fn join(path: &str, tail: &str, part: &str) -> String {
    checked(&[("_path", path), ("_tail", tail), ("_part", part)]) + APPEND
}

/// Returns the last part of a path.
fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}
