//! Requests that are one program each: its source, and how its answer is read.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{
    Answer, Capabilities, Entry, EntryKind, FileError, Request, Space,
    chunked::{ChunkedRead, ChunkedWrite},
    job::{Job, Query},
    literal,
    stream::{StreamRead, StreamWrite},
};

const LISTING: &str = include_str!("python/listing.py");
const FLAT_LISTING: &str = include_str!("python/flat.py");
const REMOVE_TREE: &str = include_str!("python/remove_tree.py");
const APPEND: &str = include_str!("python/append.py");
/// Seconds between 1970 and 2000, the two years from which MicroPython's ports count.
const SECONDS_1970_TO_2000: i64 = 946_684_800;

/// The job that a request is.
pub(super) fn job(
    request: Request,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    match request {
        Request::Write { path, data } => write(path, data, None, capabilities, binary_link),
        Request::Append { path, data } => append(&path, data, capabilities, binary_link),
        Request::Read { path } if capabilities.writes_binary && binary_link => {
            Box::new(StreamRead::new(path))
        }
        Request::Read { path } => Box::new(ChunkedRead::new(path)),
        simple => Box::new(query(simple)),
    }
}

fn write(
    path: String,
    data: Vec<u8>,
    then: Option<String>,
    capabilities: &Capabilities,
    binary_link: bool,
) -> Box<dyn Job> {
    if capabilities.reads_binary && binary_link {
        Box::new(StreamWrite::new(path, data, then))
    } else {
        Box::new(ChunkedWrite::new(path, data, then))
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
    let join = format!(
        "{APPEND}_a({},{})",
        literal::text(path),
        literal::text(&tail)
    );
    write(tail, data, Some(join), capabilities, binary_link)
}

fn query(request: Request) -> Query {
    match request {
        Request::List { path } => listing(path, false, false),
        Request::Tree { path, hashes } => listing(path, true, hashes),
        Request::Stat { path } => needs_stat(parse_stat, move |_| {
            let (path, name) = (literal::text(&path), literal::text(base_name(&path)));
            format!("{LISTING}_t()\n_e({path},{name},False)")
        }),
        Request::MakeDirectory { path, parents } => {
            needs_stat(parse_done, move |_| make_directory(&path, parents))
        }
        Request::RemoveTree { path } => needs_stat(parse_done, move |_| {
            format!("{REMOVE_TREE}_r({})", literal::text(&path))
        }),
        Request::Space { path } => needs_stat(parse_space, move |_| {
            format!(
                "import os\ns=os.statvfs({})\nprint(s[1]*s[2],s[1]*s[4])",
                literal::text(&path)
            )
        }),
        Request::Hash { path } => needs_stat(parse_hash, move |_| {
            format!("{LISTING}print(_x({}))", literal::text(&path))
        }),
        Request::Rename { from, to } => rename(from, to),
        Request::Remove { path } => Query::new(move |_| Ok(remove(&path)), parse_done),
        Request::Touch { path } => Query::new(
            move |_| Ok(format!("open({},'ab').close()", literal::text(&path))),
            parse_done,
        ),
        Request::Write { .. }
        | Request::Read { .. }
        | Request::Append { .. }
        | Request::Capabilities => Query::new(
            |_| Err(FileError::Unsupported { what: "such query" }),
            parse_done,
        ),
    }
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
                Err(FileError::Unsupported {
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
            let code = if board.stat { LISTING } else { FLAT_LISTING };
            let [recursive, hashes] =
                [recursive, hashes].map(|flag| if flag { "True" } else { "False" });
            Ok(format!(
                "{code}_w({},{recursive},{hashes})",
                literal::text(&path)
            ))
        },
        parse_entries,
    )
}

fn rename(from: String, to: String) -> Query {
    Query::new(
        move |board| {
            let (from, to) = (literal::text(&from), literal::text(&to));
            if board.rename {
                Ok(format!("import os\nos.rename({from},{to})"))
            } else {
                Err(FileError::Unsupported { what: "os.rename" })
            }
        },
        parse_done,
    )
}

/// `os.remove` takes empty directories on some ports; others have `rmdir` for them.
fn remove(path: &str) -> String {
    let path = literal::text(path);
    format!(
        "import os\ntry:os.remove({path})\nexcept OSError as e:\n try:os.rmdir({path})\n except Exception:raise e"
    )
}

fn make_directory(path: &str, parents: bool) -> String {
    let mut source = String::from("import os\n");
    let starts = path
        .match_indices('/')
        .map(|(index, _)| index)
        .filter(|&index| parents && index > 0);
    for parent in starts.map(|index| &path[..index]) {
        source.push_str(&format!(
            "try:os.mkdir({})\nexcept OSError:pass\n",
            literal::text(parent)
        ));
    }
    let path = literal::text(path);
    let last = if parents {
        format!("try:os.mkdir({path})\nexcept OSError:\n if not os.stat({path})[0]&16384:raise")
    } else {
        format!("os.mkdir({path})")
    };
    source + &last
}

/// The last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

fn lines(output: &[u8]) -> impl Iterator<Item = &str> {
    output
        .split(|&byte| byte == b'\n')
        .filter_map(|line| core::str::from_utf8(line).ok())
        .map(str::trim)
}

fn parse_done(_output: &[u8]) -> Option<Answer> {
    Some(Answer::Done)
}

/// `epoch YEAR`, then a line for each entry: kind, size, time, hash, name in hexadecimal.
fn parse_entries(output: &[u8]) -> Option<Answer> {
    let mut lines = lines(output).filter(|line| !line.is_empty());
    let epoch = lines.next()?.strip_prefix("epoch ")?.parse::<u32>().ok()?;
    let mut entries = lines
        .map(|line| parse_entry(line, epoch))
        .collect::<Option<Vec<_>>>()?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Some(Answer::Entries(entries))
}

fn parse_entry(line: &str, epoch: u32) -> Option<Entry> {
    let mut words = line.split(' ');
    let kind = match words.next()? {
        "d" => EntryKind::Directory,
        "f" => EntryKind::File,
        _ => return None,
    };
    let size = words.next()?.parse().ok()?;
    let seconds = words.next()?.parse::<i64>().ok()?;
    let sha256 = match words.next()? {
        "-" => None,
        hash => Some(literal::parse_hex(hash.as_bytes())?.try_into().ok()?),
    };
    let name = String::from_utf8(literal::parse_hex(words.next()?.as_bytes())?).ok()?;
    let modified = (seconds > 0 && epoch > 0).then(|| {
        seconds
            + if epoch == 2000 {
                SECONDS_1970_TO_2000
            } else {
                0
            }
    });
    Some(Entry {
        name,
        kind,
        size,
        modified,
        sha256,
    })
}

fn parse_stat(output: &[u8]) -> Option<Answer> {
    match parse_entries(output)? {
        Answer::Entries(entries) => entries.into_iter().next().map(Answer::Entry),
        _ => None,
    }
}

fn parse_space(output: &[u8]) -> Option<Answer> {
    let mut numbers = lines(output).next()?.split(' ').map(str::parse);
    Some(Answer::Space(Space {
        total: numbers.next()?.ok()?,
        free: numbers.next()?.ok()?,
    }))
}

fn parse_hash(output: &[u8]) -> Option<Answer> {
    let hash = literal::parse_hex(lines(output).next()?.as_bytes())?;
    Some(Answer::Hash(hash.try_into().ok()?))
}
