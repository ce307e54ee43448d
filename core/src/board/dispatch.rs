//! Chooses the way to carry out a request on a board with given capabilities.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    Capabilities, Error,
    jobs::{
        Job,
        probe::Probe,
        query,
        transfer::{
            ChunkedRead, ChunkedWrite, Delivery, OneByOne, StreamRead, StreamWrite, fits,
            temporary_name,
        },
    },
    request::{NewEntry, Request},
};
use crate::raw_repl::Command;

/// Way in which a request is carried out.
pub(super) enum Way {
    /// Command of the REPL; its result belongs to the application, and may take any time.
    Command(Command),
    /// Programs of this crate.
    Job(Box<dyn Job>),
}

/// Returns the way to carry out a request, or the reason why this board cannot. `text_link` is true if the link carries
/// only text.
pub(super) fn way(request: Request, board: &Capabilities, text_link: bool) -> Result<Way, Error> {
    let job: Result<Box<dyn Job>, Error> = match request {
        Request::Enter => return Ok(Way::Command(Command::Enter)),
        Request::SoftReset => return Ok(Way::Command(Command::SoftReset)),
        Request::Leave => return Ok(Way::Command(Command::Leave)),
        Request::Exec { source, timeout } => {
            return Ok(Way::Command(Command::Exec { source, timeout }));
        }
        Request::Capabilities => Ok(Box::new(Probe::default())),
        Request::List { path, .. } => query::list(board, &path, false, false),
        Request::Tree { path, hashes } => query::list(board, &path, true, hashes),
        Request::Stat { path } => query::stat(board, &path),
        Request::Remove { path } => query::remove(&path),
        Request::RemoveTree { path } => query::remove_tree(board, &path),
        Request::MakeDirectory { path, parents } => query::make_directory(board, &path, parents),
        Request::Rename { from, to } => query::rename(board, &from, &to),
        Request::Touch { path } => query::touch(&path),
        Request::Space { path } => query::space(board, &path),
        Request::Hash { path } => query::hash(board, &path),
        Request::Read { path } if board.writes_binary && !text_link => {
            Ok(Box::new(StreamRead::new(path, Delivery::at_the_end())))
        }
        Request::Read { path } => Ok(Box::new(ChunkedRead::new(path, Delivery::at_the_end()))),
        Request::ReadStream { path } if board.writes_binary && !text_link => {
            Ok(Box::new(StreamRead::new(path, Delivery::as_it_comes())))
        }
        Request::ReadStream { path } => {
            Ok(Box::new(ChunkedRead::new(path, Delivery::as_it_comes())))
        }
        Request::Write { path, data } => Ok(write(path, data, None, board, text_link)),
        Request::WriteTree { entries } => Ok(write_tree(entries, board, text_link)),
        Request::Append { .. } if !board.stat => Err(Error::Unsupported {
            what: "append mode",
        }),
        Request::Append { path, data } => {
            // Written beside the file, then joined on the board: a transfer that fails leaves the file as it was. Its
            // name is the same for every addition to the file, so that a file left behind by a restart is replaced by
            // the next one.
            let [tail, part] = ["tail", "part"].map(|kind| temporary_name(&path, b"", kind));
            let join = query::join(&path, &tail, &part);
            Ok(write(tail, data, Some(join), board, text_link))
        }
    };
    job.map(Way::Job)
}

fn write(
    path: String,
    data: Vec<u8>,
    then: Option<String>,
    board: &Capabilities,
    text_link: bool,
) -> Box<dyn Job> {
    let entry = NewEntry::File { path, data };
    match board.reads_binary && !text_link && fits(&entry) {
        true => Box::new(StreamWrite::file(entry, then)),
        false => Box::new(ChunkedWrite::new(entry, then)),
    }
}

fn write_tree(entries: Vec<NewEntry>, board: &Capabilities, text_link: bool) -> Box<dyn Job> {
    match board.reads_binary && !text_link && entries.iter().all(fits) {
        true => Box::new(StreamWrite::tree(entries)),
        false => Box::new(OneByOne::new(entries)),
    }
}
