//! Requests that are one program each: its source, and how its answer is read.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    Answer, Capabilities, Error, NewEntry, Request,
    answers::{parse_done, parse_entries, parse_hash, parse_space, parse_stat},
    capabilities::Probe,
    chunked::{ChunkedRead, ChunkedWrite},
    job::{Job, Query},
    literal,
    one_by_one::OneByOne,
    repl::ReplJob,
    stream::{self, StreamRead, StreamWrite},
};

use crate::raw_repl::Command;

/// What tells of one entry; of its content; of all entries below.
const ENTRY: &str = include_str!("python/entry.py");
const HASH: &str = include_str!("python/hash.py");
const WALK: &str = include_str!("python/walk.py");
const FLAT_LISTING: &str = include_str!("python/flat.py");
const REMOVE_TREE: &str = include_str!("python/remove_tree.py");
const APPEND: &str = include_str!("python/append.py");
/// `os.remove` takes empty directories on some ports; others have `rmdir` for them.
const REMOVE: &str = include_str!("python/remove.py");
/// A directory that may exist; those above it.
const MAKE_DIRECTORY: &str = include_str!("python/make_directory.py");
const MAKE_PARENTS: &str = include_str!("python/make_parents.py");
/// Each line of an answer with its sum, and at the end how many there were.
const SAY: &str = include_str!("python/say.py");
const SPACE: &str = "import os\n_s=os.statvfs(_path)\n_say('%d %d'%(_s[1]*_s[2],_s[1]*_s[4]))\n";
const END: &str = "_say('end %d'%_lines[0])";

/// The job that a request is.
pub(super) fn job(
    request: Request,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    match request {
        Request::Write { path, data } => write(path, data, None, capabilities, binary_link),
        Request::WriteTree { entries } => write_tree(entries, capabilities, binary_link),
        Request::Append { path, data } => append(&path, data, capabilities, binary_link),
        Request::Read { path } if capabilities.writes_binary && binary_link => {
            Box::new(StreamRead::new(path))
        }
        Request::Read { path } => Box::new(ChunkedRead::new(path)),
        Request::Capabilities => Box::new(Probe::default()),
        Request::Enter => Box::new(ReplJob::new(Command::Enter)),
        Request::SoftReset => Box::new(ReplJob::new(Command::SoftReset)),
        Request::Leave => Box::new(ReplJob::new(Command::Leave)),
        Request::Exec { source, timeout } => {
            Box::new(ReplJob::new(Command::Exec { source, timeout }))
        }
        Request::List { path } => Box::new(listing(path, false, false)),
        Request::Tree { path, hashes } => Box::new(listing(path, true, hashes)),
        Request::Stat { path } => Box::new(stat(path)),
        Request::MakeDirectory { path, parents } => Box::new(make_directory(path, parents)),
        Request::RemoveTree { path } => Box::new(needs_stat(parse_done, move |_| {
            literal::checked(&[("_path", &path)]) + REMOVE_TREE
        })),
        Request::Space { path } => Box::new(needs_stat(parse_space, move |_| {
            saying(literal::checked(&[("_path", &path)]), &[SPACE])
        })),
        Request::Hash { path } => Box::new(needs_stat(parse_hash, move |_| {
            let names = literal::checked(&[("_path", &path)]);
            saying(names, &[HASH, "_say(_x(_path))\n"])
        })),
        Request::Rename { from, to } => Box::new(rename(from, to)),
        Request::Remove { path } => Box::new(everywhere(path, REMOVE)),
        Request::Touch { path } => Box::new(everywhere(path, "open(_path,'ab').close()")),
    }
}

fn write(
    path: String,
    data: Vec<u8>,
    then: Option<String>,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    if capabilities.reads_binary && binary_link && stream::fits(&path, &data) {
        Box::new(StreamWrite::file(path, data, then))
    } else {
        Box::new(ChunkedWrite::new(path, data, then))
    }
}

fn write_tree(
    entries: Vec<NewEntry>,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    let fits = |entry: &NewEntry| stream::fits(entry.path(), entry.data());
    if capabilities.reads_binary && binary_link && entries.iter().all(fits) {
        Box::new(StreamWrite::tree(entries))
    } else {
        Box::new(OneByOne::new(entries))
    }
}

/// Writes beside the file, then joins the two on the board: a transfer that fails leaves the file as it was.
fn append(
    path: &str,
    data: Vec<u8>,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    let tail = format!("{path}.tail");
    let join = literal::checked(&[("_path", path), ("_tail", &tail)]) + APPEND;
    write(tail, data, Some(join), capabilities, binary_link)
}

fn stat(path: String) -> Query {
    needs_stat(parse_stat, move |_| {
        let names = literal::checked(&[("_path", &path), ("_name", base_name(&path))]);
        saying(names, &[ENTRY, "_t()\n_e(_path,_name,False)\n"])
    })
}

fn make_directory(path: String, parents: bool) -> Query {
    needs_stat(parse_done, move |_| {
        let name = literal::checked(&[("_path", &path)]);
        match parents {
            true => name + MAKE_PARENTS + MAKE_DIRECTORY,
            false => name + "import os\nos.mkdir(_path)",
        }
    })
}

/// A program about the file or directory `path`, for any board.
fn everywhere(path: String, program: &'static str) -> Query {
    let source = move |_: &Capabilities| Ok(literal::checked(&[("_path", &path)]) + program);
    Query::new(source, parse_done)
}

/// A program whose answer is what it says.
fn saying(names: String, program: &[&str]) -> String {
    names + SAY + &program.concat() + END
}

fn needs_stat(
    parse: fn(&[u8]) -> Option<Answer>,
    source: impl Fn(&Capabilities) -> String + Send + 'static,
) -> Query {
    Query::new(
        move |board| {
            if board.stat {
                Ok(source(board))
            } else {
                Err(Error::Unsupported {
                    what: "directories",
                })
            }
        },
        parse,
    )
}

fn listing(path: String, recursive: bool, hashes: bool) -> Query {
    Query::new(
        move |board| {
            let hash = if hashes { HASH } else { "" };
            let code = if board.stat {
                [ENTRY, hash, WALK].concat()
            } else {
                String::from(FLAT_LISTING)
            };
            let [recursive, hashes] =
                [recursive, hashes].map(|flag| if flag { "True" } else { "False" });
            let call = format!("_w(_path,{recursive},{hashes})\n");
            let names = literal::checked(&[("_path", &path)]);
            Ok(saying(names, &[&code, &call]))
        },
        parse_entries,
    )
}

fn rename(from: String, to: String) -> Query {
    Query::new(
        move |board| {
            if board.rename {
                let names = literal::checked(&[("_from", &from), ("_to", &to)]);
                Ok(names + "import os\nos.rename(_from,_to)")
            } else {
                Err(Error::Unsupported { what: "os.rename" })
            }
        },
        parse_done,
    )
}

/// A directory that may exist.
pub(super) fn new_directory(path: String) -> Query {
    needs_stat(parse_done, move |_| {
        literal::checked(&[("_path", &path)]) + MAKE_DIRECTORY
    })
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}
